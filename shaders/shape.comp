// The shape of the magnitude spectrum of frames, one number each: centroid, bandwidth, rolloff or
// flatness. Frame, window, FFT and reduction in one kernel; the spectrum stays in registers. Out:
// (clips, frames).
//
// After the split each of a frame's LANES threads holds the bins k and N_FFT / 2 - k for its k =
// lane + LANES * j, and the first one the bin in the middle. A sum over the bins is each thread's
// own in the order of its registers, then over the threads in theirs: the same on any device.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SINGLE_FRAMES
#include "push/shape.h"
#include "group.glsl"
// For each of transform_rows.

layout(constant_id = 0) const uint shape = shape_centroid;
// for flatness: 1 to 4, or power_pushed: push.exponent
layout(constant_id = 1) const uint power_kind = 2;
layout(constant_id = 2) const uint spread_power = 2;  // for bandwidth: 2, or another: push.exponent
layout(set = 0, binding = 2, std430) writeonly buffer Shapes { float shapes[]; };
// The frequency of each bin; for rolloff the smallest frequency from that bin on.
layout(set = 0, binding = 3, std430) readonly buffer Frequencies { float frequencies[]; };
layout(push_constant) uniform Push { ShapePush push; };

shared float exchange[FRAMES * HALF];
shared float part[THREADS];
#include "fft.glsl"
#include "split.glsl"
#include "frames.glsl"
#include "levels.glsl"
#include "magnitudes.glsl"

#define TOTAL 0    // sum of magnitudes
#define MOMENT 1   // sum of magnitudes times frequencies
#define SPREAD 2   // sum of magnitudes times a power of the distance from `centre`
#define POWERS 3   // sum of powers of magnitudes
#define LOGS 4     // sum of their logarithms

float floored_power(float square) {
  return max(power_of_square(square, power_kind, push.exponent), push.amin);
}

// What one bin adds to a sum. z holds squares for flatness, otherwise magnitudes.
float term(const uint what, float value, uint bin, float centre) {
  switch (what) {
    case MOMENT: return value * frequencies[bin];
    case SPREAD: {
      const float distance_ = abs(frequencies[bin] - centre);
      return value * (spread_power == 2 ? distance_ * distance_
                      : distance_ == 0.0 ? 0.0 : exp2(push.exponent * log2(distance_)));
    }
    case POWERS: return floored_power(value);
    case LOGS: return log2(floored_power(value));
    default: return value;
  }
}

float sum_over_bins(const uint what, float middle, float centre) {
  float sum = 0.0;
  [[unroll]] for (uint j = 0; j < POINTS / 2; ++j) {
    const uint k = lane + j * LANES;
    sum += term(what, z[register_of(j)].x, k, centre);
    sum += term(what, z[register_of(POINTS - 1 - j)].x, HALF - k, centre);
  }
  if (lane == 0) sum += term(what, middle, HALF / 2, centre);
  barrier();
  part[gl_LocalInvocationIndex] = sum;
  barrier();
  float total = 0.0;
  for (uint i = 0; i < LANES; ++i) total += part[frame_slot * LANES + i];
  return total;
}

// The bin at which the running sum reaches a share of the whole. Each thread has POINTS bins in a
// row, and searches them if the bins of earlier threads do not reach the share.
void store_rolloff(float middle, bool inside, uint place) {
  barrier();
  store_bins(frame_base);
  if (lane == 0) exchange[frame_base + HALF / 2] = middle;
  const float last = z[register_of(POINTS - 1)].x;  // bin HALF, where lane is 0
  barrier();
  float own = 0.0;
  [[unroll]] for (uint i = 0; i < POINTS; ++i)  // on different banks
    own += exchange[frame_base + lane * POINTS + (i + lane) % POINTS];
  part[gl_LocalInvocationIndex] = own;
  barrier();
  float before = 0.0, total = 0.0;
  for (uint i = 0; i < LANES; ++i) {
    if (i == lane) before = total;
    total += part[frame_slot * LANES + i];
  }
  barrier();
  const float below_last = total;
  if (lane == 0) part[frame_slot * LANES] = last;
  barrier();
  total += part[frame_slot * LANES];
  const float share = push.exponent * total;
  if (!inside) return;
  if (lane == 0 && below_last < share) shapes[place] = frequencies[HALF];
  if ((lane > 0 && before >= share) || before + own < share) return;
  uint bin = 0;
  float sum = before;
  for (; bin < POINTS - 1; ++bin) {
    sum += exchange[frame_base + lane * POINTS + bin];
    if (sum >= share) break;
  }
  shapes[place] = frequencies[lane * POINTS + bin];
}

// What the sums are over, of z[j] in place of its real part: magnitudes, or their squares. Returns that
// of the middle bin.
float take_sizes() {
  if (shape != shape_flatness) {
    const float middle = magnitude_of(split_real());
    take_magnitudes();
    return middle;
  }
  const float middle = square_of(split_real());
  [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j].x = square_of(z[j]);
  return middle;
}

void main() {
  const uint clip = group_row();
  if (clip >= push.frames.n_clips) return;
  place_thread();
  const uint frame = gl_WorkGroupID.x * FRAMES + frame_slot;
  load_frame(push.frames, clip, frame);
  transform_points();
  const float middle = take_sizes();
  const bool inside = frame < push.frames.n_frames;
  const uint place = clip * push.frames.n_frames + frame;
  if (shape == shape_rolloff) {
    store_rolloff(middle, inside, place);
    return;
  }
  float result;
  if (shape == shape_flatness) {
    const float n_bins = float(HALF + 1);
    const float mean = sum_over_bins(POWERS, middle, 0.0) / n_bins;
    result = exp2(sum_over_bins(LOGS, middle, 0.0) / n_bins) / mean;
  } else {
    // Silence is divided by one and so gives zero.
    float total = sum_over_bins(TOTAL, middle, 0.0);
    if (total < smallest_normal) total = 1.0;
    result = sum_over_bins(MOMENT, middle, 0.0) / total;
    if (shape == shape_bandwidth) {
      const float spread = sum_over_bins(SPREAD, middle, result) / (push.amin > 0.0 ? total : 1.0);
      result = spread_power == 2 ? sqrt(spread)
               : spread == 0.0   ? 0.0
                                 : exp2(log2(spread) / push.exponent);
    }
  }
  if (lane == 0 && inside) shapes[place] = result;
}
