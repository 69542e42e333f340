// Steps of the Viterbi algorithm (Viterbi 1967; Rabiner 1989): the best predecessor of every state.
//
// Target states are lanes, in blocks (decisions.hpp has the layout): a block lists the states from
// which it is entered with a vector of weights each, so matrices of which most is one value (pyin's
// 600 states, entered from a few neighbours) cost what they hold. Staying is a vector of weights
// too, whose lanes are the states themselves: where that is all that differs (transition_loop), no
// block lists a state. All that is not listed has the `background`: its best is the largest value
// plus that, one maximum for all states.
//
// The best sums of a block stay in registers over its entries; only maxima are kept. Which state it
// was is asked for along the best path alone (first_of_largest_sums), a search a frame in place of
// an index a cell. Compiled without contraction: ties decide paths.
#pragma once

#include "dsp/simd/decisions.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

using Doubles = Vec<double, native_width<double>>;
constexpr int doubles = native_width<double>;

[[gnu::always_inline]] inline Doubles larger(Doubles a, Doubles b) {
  return a > b ? a : b;
}

[[gnu::always_inline]] inline double largest_lane(Doubles v) {
  if constexpr (doubles >= 8) v = larger(v, pick<doubles>(v, v, [](int l) { return l ^ 4; }));
  if constexpr (doubles >= 4) v = larger(v, pick<doubles>(v, v, [](int l) { return l ^ 2; }));
  return larger(v, pick<doubles>(v, v, [](int l) { return l ^ 1; }))[0];
}

// n is a multiple of 8.
inline double largest(const double* values, Index n) {
  Doubles top = load<double, doubles>(values);
  for (Index i = doubles; i < n; i += doubles) top = larger(top, load<double, doubles>(values + i));
  return largest_lane(top);
}

// A part of a block: `n` vectors of target states, which stay in registers over all of its entries.
template <int n>
[[gnu::always_inline]] inline void advance_part(const TransitionBlocks& transitions, Index block,
                                                int part, Doubles floor, const double* values,
                                                double* next) {
  const Index first = block * transitions.width + part;
  Doubles best[n];
#pragma GCC unroll 4
  for (int i = 0; i < n; ++i) {
    const Index at = first + i * doubles;
    best[i] = larger(
        floor, load<double, doubles>(values + at) + load<double, doubles>(transitions.stay + at));
  }
  const double* weight = transitions.weights + transitions.first[block] * transitions.width + part;
  for (Index e = transitions.first[block]; e < transitions.first[block + 1]; ++e) {
    const Doubles value = values[transitions.from[e]] + Doubles{};
#pragma GCC unroll 4
    for (int i = 0; i < n; ++i)
      best[i] = larger(best[i], value + load<double, doubles>(weight + i * doubles));
    weight += transitions.width;
  }
  double* out = next + first;
#pragma GCC unroll 4
  for (int i = 0; i < n; ++i)
    store<double, doubles>(out + i * doubles, best[i] + load<double, doubles>(out + i * doubles));
}

void advance_states(const TransitionBlocks& transitions, const double* values, double* next) {
  const Index n_blocks = transitions.n_states / transitions.width;
  // Every target may be entered by the background from the best state of all. Listed transitions
  // are no worse than the background, so it does no harm that they are included.
  const Doubles floor = largest(values, transitions.n_states) + transitions.background + Doubles{};
  for (Index block = 0; block < n_blocks; ++block)
    if (transitions.width == 8)
      advance_part<8 / doubles>(transitions, block, 0, floor, values, next);
    else
      for (int part = 0; part < 32; part += 4 * doubles)
        advance_part<4>(transitions, block, part, floor, values, next);
}

Index first_of_largest_sums(const double* a, const double* b, Index n) {
  const auto sums = [&](Index i) {
    return load<double, doubles>(a + i) + load<double, doubles>(b + i);
  };
  Doubles top = sums(0);
  for (Index i = doubles; i < n; i += doubles) top = larger(top, sums(i));
  const double most = largest_lane(top);
  for (Index i = 0; i < n; i += doubles)
    if (const unsigned bits = lane_bits(sums(i) == most + Doubles{}))
      return i + __builtin_ctz(bits);
  return 0;
}

void transpose(const double* in, Index in_stride, Index rows, Index cols, double* out,
               Index out_stride) {
  constexpr int W = doubles;
  Index r = 0;
  for (; r + W <= rows; r += W) {
    Index c = 0;
    for (; c + W <= cols; c += W) {
      Doubles tile[W];
#pragma GCC unroll 8
      for (int i = 0; i < W; ++i) tile[i] = load<double, W>(in + (r + i) * in_stride + c);
      Transpose<double, W>::run(tile);
#pragma GCC unroll 8
      for (int i = 0; i < W; ++i) store<double, W>(out + (c + i) * out_stride + r, tile[i]);
    }
    for (; c < cols; ++c)
      for (int i = 0; i < W; ++i) out[c * out_stride + r + i] = in[(r + i) * in_stride + c];
  }
  for (; r < rows; ++r)
    for (Index c = 0; c < cols; ++c) out[c * out_stride + r] = in[r * in_stride + c];
}

}  // namespace
}  // namespace metalmom::dsp::simd
