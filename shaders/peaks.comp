// Peaks of the spectra of frames, and how far each lies from the equal-tempered scale of A4 = 440
// Hz. Frame, window, FFT, power and search in one kernel; the spectrum stays in shared memory.
//
// A peak is a bin above a share of its frame's largest value, larger than the bin below and not
// smaller than the bin above. Its frequency and magnitude are those of the parabola through the
// three (J. O. Smith, "Sinusoidal peak interpolation"). Out: of each peak, in any order, its
// magnitude and the cell of its deviation, cells dividing the range of -1/2 to 1/2 bins of the
// scale; `state` counts the peaks. The peaks of all pieces lie in one list: what is made of it,
// counts, does not depend on its order.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#define SINGLE_FRAMES
#include "push/peaks.h"
#include "group.glsl"
// For each of transform_rows.

layout(constant_id = 0) const uint power_kind = 2;  // 1 to 4; power_pushed: push.exponent
layout(set = 0, binding = 2, std430) buffer State { uint state[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Magnitudes { float magnitudes[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Cells { uint cells[]; };
layout(push_constant) uniform Push { PeaksPush push; };

shared float exchange[FRAMES * HALF];
shared float part[THREADS];
shared float last_bin[FRAMES];
shared uint found, place;
#include "fft.glsl"
#include "split.glsl"
#include "frames.glsl"
#include "levels.glsl"

float power_of(vec2 x) {
  return power_of_square(square_of(x), power_kind, push.exponent);
}

// The powers of the group's frames into `exchange`, and their last bins beside them.
void store_powers() {
  const float middle = power_of(split_real());
  [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j].x = power_of(z[j]);
  barrier();
  store_bins(frame_base);
  if (lane == 0) {
    exchange[frame_base + HALF / 2] = middle;
    last_bin[frame_slot] = z[register_of(POINTS - 1)].x;
  }
  float largest = lane == 0 ? middle : 0.0;  // bin HALF / 2, which the first thread has
  [[unroll]] for (uint j = 0; j < POINTS; ++j) largest = max(largest, z[j].x);
  part[gl_LocalInvocationIndex] = largest;
  barrier();
}

float power_at(uint bin) {
  return bin < HALF ? exchange[frame_base + bin] : last_bin[frame_slot];
}

bool is_peak(uint bin, float limit) {
  const float here = power_at(bin);
  return here > limit && here > power_at(bin - 1) && here >= power_at(min(bin + 1, HALF));
}

uint cell_of(float frequency) {
  const float bins = push.bins_per_octave * log2(frequency / 27.5);
  const float beyond = bins - floor(bins);
  const float from_lowest = beyond >= 0.5 ? beyond - 0.5 : beyond + 0.5;
  return min(uint(from_lowest * float(push.n_cells)), push.n_cells - 1);
}

void store_peak(uint index, uint bin) {
  const float here = power_at(bin), below = power_at(bin - 1);
  precise float shift = 0.0, rise = here - below;
  if (bin < HALF) {
    const float above = power_at(bin + 1);
    precise const float curve = (above + below) - 2.0 * here;
    rise = (above - below) / 2.0;
    if (-curve > abs(rise)) shift = -rise / curve;
  }
  precise const float magnitude = here + 0.5 * rise * shift;
  precise const float frequency = (float(bin) + shift) * push.bin_spacing;
  magnitudes[index] = magnitude;
  cells[index] = cell_of(frequency);
}

void main() {
  const uint clip = group_row();
  if (clip >= push.frames.n_clips) return;
  place_thread();
  if (gl_LocalInvocationIndex == 0) found = 0;
  const uint frame = gl_WorkGroupID.x * FRAMES + frame_slot;
  load_frame(push.frames, clip, frame);
  transform_points();
  store_powers();
  float largest = 0.0;
  for (uint i = 0; i < LANES; ++i) largest = max(largest, part[frame_slot * LANES + i]);
  const float limit = push.threshold * largest;
  // Each thread counts its peaks first, so that the group reserves its places in the list with one
  // atomic operation.
  uint count = 0;
  const uint end = frame < push.frames.n_frames ? push.last_bin : 0;
  for (uint bin = push.first_bin + lane; bin < end; bin += LANES)
    if (is_peak(bin, limit)) ++count;
  const uint own = count > 0 ? atomicAdd(found, count) : 0;
  barrier();
  if (gl_LocalInvocationIndex == 0 && found > 0) place = atomicAdd(state[peaks_found], found);
  barrier();
  if (count == 0) return;
  uint index = place + own;
  for (uint bin = push.first_bin + lane; bin < end; bin += LANES)
    if (is_peak(bin, limit)) {
      if (index < push.capacity) store_peak(index, bin);
      ++index;
    }
}
