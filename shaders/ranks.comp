// The median magnitude of a list of peaks, and the votes for each cell of those that reach it.
//
// Magnitudes are positive, so their bits are integers of the same order, and the value of a rank is
// found digit by digit, the highest first (radix selection). `ranks_count` counts the values of a
// digit among the magnitudes that have the digits found before; `ranks_choose` (one group) takes
// the digit in which the rank lies. For an even number of peaks the median is the mean of two: the
// digits give the upper one, and `ranks_look_below` the largest magnitude under it, which is the
// lower one if the rank is the first of its value. All of it counts integers, so the order of the
// list does not matter. Only the device knows the number of peaks: a fixed number of groups goes
// over all of them.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "constants.h"
#include "push/ranks.h"
#define THREADS ranks_threads
layout(local_size_x = THREADS) in;

layout(constant_id = 0) const uint part = ranks_count;
layout(set = 0, binding = 0, std430) buffer State { uint state[]; };
layout(set = 0, binding = 1, std430) readonly buffer Magnitudes { uint magnitudes[]; };
layout(set = 0, binding = 2, std430) readonly buffer Cells { uint cells[]; };
layout(push_constant) uniform Push { RanksPush push; };

#define PLACES (part == ranks_vote ? tuning_cells : part == ranks_look_below ? 1 : digit_values)
shared uint counts[PLACES];

float median(uint n) {
  const float upper = uintBitsToFloat(state[median_bits]);
  const bool is_mean = (n & 1) == 0 && state[median_rank] == 0;
  return is_mean ? (uintBitsToFloat(state[below_median]) + upper) / 2.0 : upper;
}

void add(uint magnitude, uint index, float least) {
  const uint known = push.shift + push.digit_bits;
  switch (part) {
    case ranks_count:
      if (known >= 32 || magnitude >> known == state[median_bits] >> known)
        atomicAdd(counts[(magnitude >> push.shift) & ((1u << push.digit_bits) - 1)], 1);
      break;
    case ranks_look_below:
      if (magnitude < state[median_bits]) atomicMax(counts[0], magnitude);
      break;
    default:
      if (uintBitsToFloat(magnitude) >= least) atomicAdd(counts[cells[index]], 1);
  }
}

// Finds the digit in which the rank lies. Threads add up runs of counts; the first thread finds the
// run, and then the digit within it.
void choose(uint n) {
  const uint run = digit_values / THREADS, thread = gl_LocalInvocationIndex;
  uint sum = 0;
  for (uint i = 0; i < run; ++i) sum += state[digit_counts + thread * run + i];
  counts[thread] = sum;
  barrier();
  if (thread == 0) {
    uint rank = push.shift + push.digit_bits >= 32 ? n / 2 : state[median_rank];
    uint at = 0;
    while (at < THREADS - 1 && rank >= counts[at]) rank -= counts[at++];
    uint digit = at * run;
    while (digit < at * run + run - 1 && rank >= state[digit_counts + digit])
      rank -= state[digit_counts + digit++];
    state[peaks_lost] = state[peaks_found] - n;
    state[median_rank] = rank;
    state[median_bits] |= digit << push.shift;
  }
  barrier();
  for (uint i = thread; i < digit_values; i += THREADS) state[digit_counts + i] = 0;
}

void main() {
  const uint n = min(state[peaks_found], push.capacity), thread = gl_LocalInvocationIndex;
  if (part == ranks_choose) {
    choose(n);
    return;
  }
  for (uint i = thread; i < PLACES; i += THREADS) counts[i] = 0;
  barrier();
  const float least = median(n);
  for (uint i = gl_GlobalInvocationID.x; i < n; i += gl_NumWorkGroups.x * THREADS)
    add(magnitudes[i], i, least);
  barrier();
  if (part == ranks_look_below) {
    if (thread == 0) atomicMax(state[below_median], counts[0]);
    return;
  }
  const uint first = part == ranks_vote ? tuning_votes : digit_counts;
  for (uint i = thread; i < PLACES; i += THREADS)
    if (counts[i] > 0) atomicAdd(state[first + i], counts[i]);
}
