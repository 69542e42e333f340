// The median magnitude of a list of peaks, and the votes for each cell of those that reach it.
//
// Magnitudes are positive, so their bits are integers of the same order, and the value of a rank is
// found digit by digit, the highest first (radix selection). `ranks_count` counts the values of a
// digit among the magnitudes that have the digits found before; `ranks_choose` (one group) takes
// the digit in which the rank lies. For an even number of peaks the median is the mean of two: the
// digits give the upper one, and `ranks_look_below` the largest magnitude under it, which is the
// lower one if the rank is the first of its value. All of it counts integers, so the order of the
// list does not matter. Only the device knows the number of peaks: a fixed number of groups goes
// over all of them. `ranks_all` is all of this by one group, for short lists: eight dispatches that
// wait for each other would take longer.
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

#define PLACES (part >= ranks_vote ? tuning_cells : part == ranks_look_below ? 1 : digit_values)
shared uint counts[PLACES];
shared uint sums[THREADS];
shared uint chosen_digit, chosen_rank;

void clear(uint places) {
  barrier();  // when all have read what was there
  for (uint i = gl_LocalInvocationIndex; i < places; i += THREADS) counts[i] = 0;
  barrier();
}

// Each goes over the threads' shares of the list, and ends when all are done.

// `found`: the digits above `known`.
void count_digit(uint n, uint found, uint known, uint shift) {
  clear(digit_values);
  for (uint i = gl_GlobalInvocationID.x; i < n; i += gl_NumWorkGroups.x * THREADS)
    if (known >= 32 || magnitudes[i] >> known == found >> known)
      atomicAdd(counts[(magnitudes[i] >> shift) & ((1u << (known - shift)) - 1)], 1);
  barrier();
}

void look_below(uint n, uint upper) {
  clear(1);
  for (uint i = gl_GlobalInvocationID.x; i < n; i += gl_NumWorkGroups.x * THREADS)
    if (magnitudes[i] < upper) atomicMax(counts[0], magnitudes[i]);
  barrier();
}

void vote(uint n, float least) {
  clear(tuning_cells);
  for (uint i = gl_GlobalInvocationID.x; i < n; i += gl_NumWorkGroups.x * THREADS)
    if (uintBitsToFloat(magnitudes[i]) >= least) atomicAdd(counts[cells[i]], 1);
  barrier();
}

// Finds the digit in which the rank lies, from its counts, and the rank among those that have it.
// Threads add up runs of counts; the first thread finds the run, and then the digit within it.
void choose(uint rank) {
  const uint run = digit_values / THREADS, thread = gl_LocalInvocationIndex;
  uint sum = 0;
  for (uint i = 0; i < run; ++i) sum += counts[thread * run + i];
  sums[thread] = sum;
  barrier();
  if (thread == 0) {
    uint at = 0;
    while (at < THREADS - 1 && rank >= sums[at]) rank -= sums[at++];
    uint digit = at * run;
    while (digit < at * run + run - 1 && rank >= counts[digit]) rank -= counts[digit++];
    chosen_digit = digit;
    chosen_rank = rank;
  }
  barrier();
}

float median(uint n, uint bits, uint rank, uint below) {
  const float upper = uintBitsToFloat(bits);
  return (n & 1) == 0 && rank == 0 ? (uintBitsToFloat(below) + upper) / 2.0 : upper;
}

void add_counts(uint first, uint places) {
  for (uint i = gl_LocalInvocationIndex; i < places; i += THREADS)
    if (counts[i] > 0) atomicAdd(state[first + i], counts[i]);
}

void choose_among_groups(uint n) {
  const uint thread = gl_LocalInvocationIndex;
  for (uint i = thread; i < digit_values; i += THREADS) {
    counts[i] = state[digit_counts + i];
    state[digit_counts + i] = 0;
  }
  barrier();
  choose(push.known >= 32 ? n / 2 : state[median_rank]);
  if (thread > 0) return;
  state[peaks_lost] = state[peaks_found] - n;
  state[median_rank] = chosen_rank;
  state[median_bits] |= chosen_digit << push.shift;
}

void find_all(uint n) {
  uint bits = 0, rank = n / 2;
  for (uint known = 32, shift; known > 0; known = shift) {
    shift = known - min(known, most_digit_bits);
    count_digit(n, bits, known, shift);
    choose(rank);
    bits |= chosen_digit << shift;
    rank = chosen_rank;
  }
  look_below(n, bits);
  const float least = median(n, bits, rank, counts[0]);
  vote(n, least);
  add_counts(tuning_votes, tuning_cells);
  if (gl_LocalInvocationIndex == 0) state[peaks_lost] = state[peaks_found] - n;
}

void main() {
  const uint n = min(state[peaks_found], push.capacity);
  switch (part) {
    case ranks_count:
      count_digit(n, state[median_bits], push.known, push.shift);
      add_counts(digit_counts, digit_values);
      break;
    case ranks_choose:
      choose_among_groups(n);
      break;
    case ranks_look_below:
      look_below(n, state[median_bits]);
      if (gl_LocalInvocationIndex == 0) atomicMax(state[below_median], counts[0]);
      break;
    case ranks_vote:
      vote(n, median(n, state[median_bits], state[median_rank], state[below_median]));
      add_counts(tuning_votes, tuning_cells);
      break;
    default:
      find_all(n);
  }
}
