// Spectral flux (onset strength): by how much the level of each band exceeds the loudest of the
// neighbouring bands `lag` frames before, negative differences as zero; the mean or the median over
// the bands, or every band. The maximum over neighbours keeps vibrato from counting as onsets
// (SuperFlux, Boeck and Widmer 2013).
//
// In: levels and reference, both (clips, bands, frames), often the same array. Out: (clips, rows,
// frames), one row or one a band. A thread has one output frame and goes through the bands, so that
// neighbouring threads read neighbouring values; four bands are under way at a time, as a read
// takes far longer than the arithmetic. Sums rise with the bands, whatever the device.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/flux.h"
#define AHEAD 4  // bands of a thread under way at a time
layout(local_size_x = flux_threads) in;

layout(constant_id = 0) const bool limited = true;
layout(constant_id = 1) const bool is_median = false;
layout(set = 0, binding = 0, std430) readonly buffer Levels { float levels[]; };
layout(set = 0, binding = 1, std430) readonly buffer Reference { float reference[]; };
layout(set = 0, binding = 2, std430) readonly buffer Maxima { uint maxima[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Flux { float flux[]; };
layout(push_constant) uniform Push { FluxPush push; };

#include "levels.glsl"
#include "row.glsl"

// Neighbours beyond the edges mirror neighbours within, so they change no maximum.
float loudest_before(uint clip, uint band, uint frame) {
  const uint half_size = push.max_size / 2;
  const uint first = band - min(band, half_size);
  const uint end = min(band + push.max_size - half_size, push.n_bands);
  uint place = (clip * push.n_bands + first) * push.n_frames + frame;
  float loudest = reference[place];
  for (uint i = first + 1; i < end; ++i) {
    place += push.n_frames;
    loudest = max(loudest, reference[place]);
  }
  return loudest;
}

float rise_of(uint clip, uint band, uint frame, float floor_) {
  float level = levels[(clip * push.n_bands + band) * push.n_frames + frame + push.lag];
  float before = loudest_before(clip, band, frame);
  if (limited) {
    level = raised(level, floor_);
    before = raised(before, floor_);
  }
  return raised(level - before, 0.0);
}

// Floats that are not negative are ordered as their bits. Each pass over the bands decides two bits
// of the middle value, for an even number of bands of the lower middle one; the result is the mean
// of the two.
float median_rise(uint clip, uint frame, float floor_) {
  const uint rank = (push.n_bands - 1) / 2;
  uint lower = 0;
  for (int bit = 30; bit >= 0; bit -= 2) {
    const uvec3 limits = lower + (uvec3(1, 2, 3) << bit);
    uvec3 below = uvec3(0);
    for (uint band = 0; band < push.n_bands; ++band)
      below += uvec3(lessThan(uvec3(floatBitsToUint(rise_of(clip, band, frame, floor_))), limits));
    const uvec3 reached = uvec3(lessThanEqual(below, uvec3(rank)));
    lower += (reached.x + reached.y + reached.z) << bit;
  }
  uint up_to_lower = 0, upper = 0x7f800000u;
  for (uint band = 0; band < push.n_bands; ++band) {
    const uint rise = floatBitsToUint(rise_of(clip, band, frame, floor_));
    up_to_lower += uint(rise <= lower);
    if (rise > lower) upper = min(upper, rise);
  }
  if (up_to_lower > push.n_bands / 2) upper = lower;
  return 0.5 * (uintBitsToFloat(lower) + uintBitsToFloat(upper));
}

void main() {
  const uint row = group_row();
  const uint out_frame = gl_GlobalInvocationID.x;
  if (row >= push.n_clips * push.rows_out || out_frame >= push.n_out) return;
  const uint clip = row / push.rows_out;
  const bool one_row = push.rows_out == 1 && push.n_bands > 1;
  const float floor_ = limited ? from_ordered_bits(maxima[clip]) - push.top_db : lowest_float;
  // frame of the reference; it wraps around for frames before the first one
  const uint frame = out_frame - push.shift;
  float sum = 0.0;
  if (out_frame >= push.shift && frame < push.n_differences) {
    if (is_median && one_row) {
      flux[row * push.n_out + out_frame] = median_rise(clip, frame, floor_);
      return;
    }
    const uint first = one_row ? 0 : row % push.rows_out;
    const uint end = one_row ? push.n_bands : first + 1;
    uint band = first;
    for (; band + AHEAD <= end; band += AHEAD) {
      float rise[AHEAD];
      [[unroll]] for (uint i = 0; i < AHEAD; ++i) rise[i] = rise_of(clip, band + i, frame, floor_);
      [[unroll]] for (uint i = 0; i < AHEAD; ++i) sum += rise[i];
    }
    for (; band < end; ++band) sum += rise_of(clip, band, frame, floor_);
  }
  flux[row * push.n_out + out_frame] = one_row ? sum / float(push.n_bands) : sum;
}
