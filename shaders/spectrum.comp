// Complex spectra of the frames of a batch of clips: frame, window, FFT (fft.glsl), split into the
// bins of a real frame (split.glsl).
//
// In: audio, (clips, samples). Out: (clips, frames, bins), bins of a frame side by side. A group
// has as few frames as fill a warp: frames share nothing here, so nothing is gained by more, and
// barriers wait for less. Bins k and n_fft / 2 - k are made from the same two points; a thread
// stores both, each in runs of its neighbours.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SINGLE_FRAMES
#include "group.glsl"
// For each of transform_rows.
layout(set = 0, binding = 2, std430) writeonly buffer Spectrum { vec2 spectrum[]; };
layout(push_constant) uniform Push { FramesPush push; };

shared float exchange[FRAMES * HALF];
#include "fft.glsl"
#include "split.glsl"
#include "frames.glsl"

void main() {
  const uint clip = group_row();
  if (clip >= push.n_clips) return;
  place_thread();
  const uint frame = gl_WorkGroupID.x * FRAMES + frame_slot;
  load_frame(push, clip, frame);
  transform_points();
  const vec2 middle = split_real();
  if (frame >= push.n_frames) return;
  const uint row = (clip * push.n_frames + frame) * (HALF + 1);
  [[unroll]] for (uint j = 0; j < POINTS / 2; ++j) {
    const uint k = lane + j * LANES;
    spectrum[row + k] = z[register_of(j)];
    spectrum[row + HALF - k] = z[register_of(POINTS - 1 - j)];
  }
  if (lane == 0) spectrum[row + HALF / 2] = middle;
}
