// Logarithms of bands of audio, as models of speech and sound read them, in one kernel like bands.comp: frames
// prepared where that is asked for (prepared_frames.glsl), transform, power, weighted sums (sum_bands.glsl), and
//   scale ln(max(band, amin) + offset) + shift.
//
// In: audio, (clips, samples). Out: (clips, bands, frames), or (clips, rows, bands), with the largest value of
// each clip where limit.comp is to raise the others. Rows are frames, or those of patches, which may overlap. The
// logarithm is one log2, `scale` includes ln 2.
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
layout(constant_id = 11) const uint patch_frames = 1;  // of a patch, and
layout(constant_id = 12) const uint patch_hop = 1;     // from one to the next
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

// (clips, rows, bands); gives the largest value.
float store_rows(uint clip, uint first_frame) {
  const uint count = min(push.frames.n_frames - first_frame, FRAMES) * push.n_bands;
  const uint row = clip * push.row_frames + push.row_first;
  const uint first = (row + first_frame) * push.n_bands;
  float largest = lowest_float;
  for (uint i = gl_LocalInvocationIndex; i < count; i += THREADS) {
    const uint band = i % push.n_bands;
    const float value = value_of(band, i / push.n_bands);
    largest = max(largest, value);
    if (patch_frames == patch_hop) {
      bands[first + i] = value;
    } else {  // in each patch that has the frame
      const uint frame = first_frame + i / push.n_bands;
      const uint last = min(frame / patch_hop, push.row_frames / patch_frames - 1);
      for (uint at = frame < patch_frames ? 0 : (frame - patch_frames) / patch_hop + 1; at <= last; ++at)
        bands[(row + at * patch_frames + frame - at * patch_hop) * push.n_bands + band] = value;
    }
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
