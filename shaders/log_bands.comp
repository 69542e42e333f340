// Logarithms of bands of audio, as models of speech and sound read them, in one kernel like bands.comp: frames
// prepared where that is asked for (prepared_frames.glsl), transform, power, weighted sums (sum_bands.glsl), and
//   scale ln(max(band, amin) + offset) + shift.
//
// In: audio, (clips, samples). Out: (clips, bands, frames), or (clips, frames, bands), with the largest value of
// each clip where limit.comp is to raise the others. The logarithm is one log2, `scale` includes ln 2.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "push/log_bands.h"
#include "group.glsl"
// For each of transform_rows.

layout(constant_id = 4) const bool logarithm = true;
layout(constant_id = 5) const bool by_frame = false;
layout(constant_id = 8) const bool limited = false;
layout(constant_id = 9) const bool prepared = false;
layout(constant_id = 10) const bool remove_mean = false;
layout(set = 0, binding = 2, std430) writeonly buffer Bands { float bands[]; };
layout(set = 0, binding = 2, std430) writeonly buffer BandQuads { vec4 band_quads[]; };
layout(set = 0, binding = 4, std430) buffer Maxima { uint maxima[]; };
layout(set = 0, binding = 5, std430) readonly buffer Scale { float log_scale[]; };  // amin, offset, scale, shift
layout(push_constant) uniform Push { LogBandsPush push; };

#include "sum_bands.glsl"
#include "frames.glsl"
#include "prepared_frames.glsl"
#include "maximum.glsl"

float value_of(uint band, uint frame) {
  const float sum = band_of(band, frame);
  if (!is_finite(sum)) return infinity();  // a transform that overflows may give NaN
  if (!logarithm) return sum;
  return fma(log_scale[2], log2(max(sum, log_scale[0]) + log_scale[1]), log_scale[3]);
}

// (clips, frames, bands); gives the largest value.
float store_rows(uint clip, uint first_frame) {
  const uint count = min(push.frames.n_frames - first_frame, FRAMES) * push.n_bands;
  const uint first = (clip * push.row_frames + push.row_first + first_frame) * push.n_bands;
  float largest = lowest_float;
  for (uint i = gl_LocalInvocationIndex; i < count; i += THREADS) {
    const float value = value_of(i % push.n_bands, i / push.n_bands);
    bands[first + i] = value;
    largest = max(largest, value);
  }
  return largest;
}

void main() {
  const uint clip = group_row();
  if (clip >= push.frames.n_clips) return;
  load_tasks();
  place_thread();
  const uint first_frame = gl_WorkGroupID.x * FRAMES, frame = first_frame + frame_slot;
  if (prepared)
    load_prepared_frame(push.frames, clip, frame, push.frame_length, remove_mean, push.preemphasis);
  else
    load_frame(push.frames, clip, frame);
  sum_bands();
  const float largest = by_frame ? store_rows(clip, first_frame) : store_bands(clip, first_frame);
  if (limited) keep_maximum(clip, largest);
}
