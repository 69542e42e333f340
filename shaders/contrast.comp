// Valleys and peaks of the magnitude spectrum of frames: for each band of bins the mean of its
// lowest and that of its highest values (Jiang, Lu, Zhang, Tao and Cai 2002). Frame, window, FFT
// and search in one kernel; the spectrum stays in shared memory. Out: (clips, bands, frames),
// valleys and peaks apart.
//
// The tail of a band is a few values in a hundred, so it is taken value by value: each of a frame's
// LANES threads finds the most extreme of its own bins that comes after the one taken last, and the
// most extreme of these is the next. Of equal values the lower bin comes first, so the order, and
// with it the sum, is the same on any device.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SINGLE_FRAMES
#include "push/contrast.h"
#include "group.glsl"
// For each of transform_rows.

layout(set = 0, binding = 2, std430) writeonly buffer Valleys { float valleys[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Peaks { float peaks[]; };
// Of each band its first bin, the bin after its last, and how many values make a tail.
layout(set = 0, binding = 4, std430) readonly buffer Bands { uint bands[]; };
layout(push_constant) uniform Push { ContrastPush push; };

shared float exchange[FRAMES * HALF];
shared float last_bin[FRAMES];
shared vec2 candidates[THREADS];  // values and their bins
#include "fft.glsl"
#include "split.glsl"
#include "frames.glsl"
#include "levels.glsl"
#include "magnitudes.glsl"

void store_magnitudes() {
  const float middle = magnitude_of(split_real());
  take_magnitudes();
  barrier();
  store_bins(frame_base);
  if (lane == 0) {
    exchange[frame_base + HALF / 2] = middle;
    last_bin[frame_slot] = z[register_of(POINTS - 1)].x;
  }
  barrier();
}

// Whether value and bin `a` come before `b` when the largest value comes first.
bool precedes(vec2 a, vec2 b) { return a.x > b.x || (a.x == b.x && a.y < b.y); }

// The mean of the `n` largest values, each times `sign`, of bins [first, last); of no bins NaN.
float tail(uint first, uint last, uint n, float sign) {
  vec2 taken = vec2(infinity(), -1.0);
  float sum = 0.0;
  for (uint i = 0; i < n; ++i) {
    vec2 next = vec2(-infinity(), float(N_FFT));
    for (uint bin = first + lane; bin < last; bin += LANES) {
      const float value = bin < HALF ? exchange[frame_base + bin] : last_bin[frame_slot];
      const vec2 here = vec2(sign * value, float(bin));
      if (precedes(taken, here) && precedes(here, next)) next = here;
    }
    const uint own = gl_LocalInvocationIndex;
    candidates[own] = next;
    barrier();
    [[unroll]] for (uint others = 128; others > 0; others /= 2) {
      if (others >= LANES) continue;
      if (lane < others && lane + others < LANES && precedes(candidates[own + others], candidates[own]))
        candidates[own] = candidates[own + others];
      barrier();
    }
    taken = candidates[frame_slot * LANES];
    sum += taken.x;
    barrier();
  }
  return n > 0 ? sign * sum / float(n) : not_a_number();
}

void main() {
  const uint clip = group_row();
  if (clip >= push.frames.n_clips) return;
  place_thread();
  const uint frame = gl_WorkGroupID.x * FRAMES + frame_slot;
  load_frame(push.frames, clip, frame);
  transform_points();
  store_magnitudes();
  const bool stores = lane == 0 && frame < push.frames.n_frames;
  for (uint band = 0; band < push.n_bands; ++band) {
    const uint first = bands[3 * band], last = bands[3 * band + 1], n = bands[3 * band + 2];
    const float valley = tail(first, last, n, -1.0), peak = tail(first, last, n, 1.0);
    const uint place = (clip * push.n_bands + band) * push.frames.n_frames + frame;
    if (!stores) continue;
    valleys[place] = valley;
    peaks[place] = peak;
  }
}
