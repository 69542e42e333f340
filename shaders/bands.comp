// Bands (mel, chroma) of audio: frame, window, FFT, power, weighted sums, in one kernel. The
// spectrum never reaches device memory, which would take longer than the transform.
//
// A workgroup has FRAMES frames of one clip. In: audio, (clips, samples). Between the passes the
// frames lie in `exchange` in shared memory, frame_stride floats each: first the points of the
// transform, then the powers of the bins, then the sums of the bands, each in the place of the one
// before. Out: (clips, bands, frames), in decibels where wanted, with each clip's maximum for the
// later limit of top_db; or, for chroma, (clips, frames, bands), each frame divided by its norm.
// Sums and stores are sum_bands.glsl.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "push/bands.h"
#include "group.glsl"
// For each of transform_rows.

layout(constant_id = 4) const bool decibels = false;
layout(constant_id = 5) const uint norm_kind = 0;
layout(set = 0, binding = 2, std430) writeonly buffer Bands { float bands[]; };
layout(set = 0, binding = 2, std430) writeonly buffer BandQuads { vec4 band_quads[]; };
layout(set = 0, binding = 4, std430) buffer Maxima { uint maxima[]; };
layout(push_constant) uniform Push { BandsPush push; };

#include "sum_bands.glsl"
#include "frames.glsl"
#include "maximum.glsl"

float value_of(uint band, uint frame) {
  const float sum = band_of(band, frame);
  return decibels ? to_decibels(sum, push.amin) : sum;
}

// (clips, frames, bands), each frame divided by its norm; at most THREADS bands.
void store_normalised(uint clip, uint first_frame) {
  const uint thread = gl_LocalInvocationIndex;
  float value[FRAMES];
  if (thread < push.n_bands)
    [[unroll]] for (uint f = 0; f < FRAMES; ++f) value[f] = value_of(thread, f);
  barrier();
  if (thread < push.n_bands)
    [[unroll]] for (uint f = 0; f < FRAMES; ++f) exchange[f * frame_stride + thread] = value[f];
  barrier();
  for (uint i = thread; i < FRAMES * push.n_bands; i += THREADS) {
    const uint frame = i / push.n_bands, base = frame * frame_stride;
    if (first_frame + frame >= push.frames.n_frames) return;
    float scale = 1.0;
    if (norm_kind == norm_euclid || norm_kind == norm_power) {
      float largest = 0.0;
      for (uint band = 0; band < push.n_bands; ++band)
        largest = max(largest, abs(exchange[base + band]));
      scale = scale_of(largest);
    }
    float total = norm_kind == norm_minimum ? infinity() : 0.0;
    for (uint band = 0; band < push.n_bands; ++band) {
      precise const float value = scale * exchange[base + band];
      total = add_to_norm(total, value, norm_kind, push.norm);
    }
    const float length_ = finish_norm(total, norm_kind, push.norm, scale);
    bands[(clip * push.row_frames + push.row_first + first_frame) * push.n_bands + i] =
        exchange[base + i - frame * push.n_bands] / length_;
  }
}

void main() {
  const uint clip = group_row();
  if (clip >= push.frames.n_clips) return;
  load_tasks();
  place_thread();
  const uint first_frame = gl_WorkGroupID.x * FRAMES;
  load_frame(push.frames, clip, first_frame + frame_slot);
  sum_bands();
  if (norm_kind > 0) {
    store_normalised(clip, first_frame);
  } else {
    const float largest = store_bands(clip, first_frame);
    if (decibels) keep_maximum(clip, largest);
  }
}
