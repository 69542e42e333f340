// Fundamental frequencies by YIN (de Cheveigne and Kawahara 2002): the difference of each frame to
// itself by period, over its running mean; the first trough below a threshold, or the least value;
// the vertex of the parabola through it and its neighbours.
//
// In: audio, (clips, samples). Out: (clips, frames), in Hz. The differences are the energy less the
// autocorrelation (autocorrelate.glsl), which stays in shared memory: d(k) = 2 (r(0) - r(k)) less the
// energy of the first k samples, which a shift by k leaves out. Energies and means are running sums
// over the periods: each of a frame's LANES threads has a run of neighbouring periods, and the sums
// of the runs are added up in a tree, the same on any device. Which trough is first, and which value
// least, is found by atomic minima, whose order does not matter.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SINGLE_FRAMES
#include "push/yin.h"
#include "group.glsl"
// For each power of two of transform_rows.

layout(set = 0, binding = 2, std430) writeonly buffer Frequencies { float frequencies[]; };
layout(push_constant) uniform Push { YinPush push; };

shared float exchange[FRAMES * HALF];
shared float sums[THREADS];
shared uint first_trough[FRAMES], least[FRAMES], least_at[FRAMES];
#include "fft.glsl"
#include "autocorrelate.glsl"
#include "short_frames.glsl"
#include "levels.glsl"

const uint none = 0xffffffffu;

// The sum of what the frame's lanes before this one have.
float sum_before(float value) {
  const uint own = gl_LocalInvocationIndex;
  for (uint reach = 1; reach < LANES; reach *= 2) {
    sums[own] = value;
    barrier();
    if (lane >= reach) value += sums[own - reach];
    barrier();
  }
  sums[own] = value;
  barrier();
  const float before = lane > 0 ? sums[own - 1] : 0.0;
  barrier();
  return before;
}

// The differences over their running means, in the places of the lags in `exchange`, for the
// periods [first, last) of this thread.
void normalise_differences(uint clip, uint frame, uint first, uint last) {
  const int begin = frame_begin(push.frames, min(frame, push.frames.n_frames - 1));
  float energy = 0.0;
  for (uint k = first; k < last; ++k) {
    const float x = padded_sample(push.frames, clip, begin + int(k) - 1);
    energy = fma(x, x, energy);
  }
  energy = sum_before(energy);
  const float whole = exchange[frame_base];
  float sum = 0.0;
  for (uint k = first; k < last; ++k) {
    const float x = padded_sample(push.frames, clip, begin + int(k) - 1);
    energy = fma(x, x, energy);
    // librosa leaves out no energy for the period 1
    const float difference = 2.0 * (whole - exchange[frame_base + k]) - (k > 1 ? energy : 0.0);
    exchange[frame_base + k] = difference;
    sum += difference;
  }
  sum = sum_before(sum);
  for (uint k = first; k < last; ++k) {
    const float difference = exchange[frame_base + k];
    sum += difference;
    exchange[frame_base + k] = difference / (sum / float(k) + smallest_normal);
  }
  barrier();
}

// The period that counts, of the frame's whole range.
uint choose_period(uint first, uint last) {
  uint trough = none, lowest_at = none;
  float lowest = infinity();
  for (uint k = max(first, push.min_period); k < last; ++k) {
    const float here = exchange[frame_base + k];
    const float after = k < push.max_period ? exchange[frame_base + k + 1] : here;
    // The first value is a trough if it is below the second, the last one if it is below the one
    // before.
    const bool is_trough = k == push.min_period
                               ? here < after
                               : here < exchange[frame_base + k - 1] && here <= after;
    if (is_trough && here < push.threshold && trough == none) trough = k;
    if (here < lowest) {
      lowest = here;
      lowest_at = k;
    }
  }
  atomicMin(first_trough[frame_slot], trough);
  atomicMin(least[frame_slot], ordered_bits(lowest));
  barrier();
  if (ordered_bits(lowest) == least[frame_slot]) atomicMin(least_at[frame_slot], lowest_at);
  barrier();
  const uint chosen = min(least_at[frame_slot], push.max_period);
  return first_trough[frame_slot] != none ? first_trough[frame_slot] : chosen;
}

// The vertex of the parabola, as a distance from the period; 0 at the ends of the range, and where
// it would lie beyond a neighbour.
float vertex(uint period) {
  if (period == push.min_period || period == push.max_period) return 0.0;
  const float here = exchange[frame_base + period];
  const float fall = exchange[frame_base + period - 1] - here;
  const float rise = exchange[frame_base + period + 1] - here;
  const float bend = rise + fall, slope = 0.5 * (rise - fall);
  return abs(slope) >= abs(bend) ? 0.0 : -slope / bend;
}

void main() {
  const uint clip = group_row();
  if (clip >= push.frames.n_clips) return;
  place_thread();
  const uint frame = gl_WorkGroupID.x * FRAMES + frame_slot;
  if (lane == 0) first_trough[frame_slot] = least[frame_slot] = least_at[frame_slot] = none;
  load_short_frame(push.frames, clip, frame, push.frame_length);
  correlate_points();
  [[unroll]] for (uint j = 0; j < POINTS / 2; ++j) {  // no period reaches half the transform
    const uint k = 2 * (lane + j * LANES);
    exchange[frame_base + k] = even_lag(j) / float(N_FFT);
    exchange[frame_base + k + 1] = odd_lag(j) / float(N_FFT);
  }
  barrier();
  const uint run = (push.max_period + LANES - 1) / LANES;
  const uint first = 1 + lane * run, last = min(first + run, push.max_period + 1);
  normalise_differences(clip, frame, first, last);
  const uint period = choose_period(first, last);
  if (lane == 0 && frame < push.frames.n_frames)
    frequencies[clip * push.frames.n_frames + frame] = push.sr / (float(period) + vertex(period));
}
