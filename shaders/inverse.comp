// Spectra back to windowed frames, the first half of the inverse STFT (overlap.comp is the second).
//
// In: spectra, (clips, frames, bins). Out: frames, (clips, frames, n_fft), times the window, which
// carries the transform's factor. One group a few frames, as for spectrum.comp. The points of a
// frame's pairs of samples (join.glsl) go through the forward transform, so that fft.glsl is the
// only one.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "push/istft.h"
#define SINGLE_FRAMES
#include "group.glsl"
// For each of transform_rows.
layout(set = 0, binding = 0, std430) readonly buffer Spectrum { vec2 spectrum[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Frames { vec2 frames[]; };
layout(push_constant) uniform Push { IstftPush push; };

shared float exchange[FRAMES * HALF];
#include "fft.glsl"
#include "join.glsl"

void main() {
  const uint clip = group_row();
  if (clip >= push.n_clips) return;
  place_thread();
  const uint frame = gl_WorkGroupID.x * FRAMES + frame_slot;
  const uint row = clip * push.n_frames + min(frame, push.n_frames - 1);
  join_real(row * (HALF + 1));
  transform_points();
  if (frame >= push.n_frames) return;
  [[unroll]] for (uint j = 0; j < POINTS; ++j) {
    const uint m = lane + j * LANES;
    frames[row * HALF + m] = z[register_of(j)].yx * tables[m];
  }
}
