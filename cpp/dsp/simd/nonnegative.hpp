// Steps of non-negative least squares, min |A x - b| with x >= 0, for 16 right-hand sides in lanes:
// accelerated projected gradients (Nesterov 1983) that start again where they turn against
// themselves (O'Donoghue and Candes 2015). dsp/nonnegative.cpp has the iteration, these are its
// inner loops.
//
// Vectors are (n, 16), a problem a lane; the matrix is the same for all and is read once for 16 of
// them. Rows of a mel basis are short runs of nonzeros (BandedMatrix), so A^T (A z - b) goes row by
// row: the residual of a row is a block in registers, and is spread over its columns at once, never
// stored.
//
// Lanes that have converged keep moving with the others but keep their x (`moving`): their results
// do not depend on what else is in the block.
#pragma once

#include "dsp/simd/lanes.hpp"
#include "dsp/simd/tonal.hpp"

namespace metalmom::dsp::simd {
namespace {

[[gnu::always_inline]] inline Block<double> larger_of(Block<double> a, const Block<double>& b) {
#pragma GCC unroll 8
  for (int i = 0; i < a.n; ++i) a.part[i] = a.part[i] > b.part[i] ? a.part[i] : b.part[i];
  return a;
}

// gradient = A^T (A z - b)
void least_squares_gradient(const BandedMatrix& A, const double* z, const double* b,
                            double* gradient) {
  for (Index i = 0; i < A.n_cols * n_lanes; ++i) gradient[i] = 0;
  for (Index r = 0; r < A.n_rows; ++r) {
    const double* const row = A.values + r * A.n_cols;
    Block<double> even = {}, odd = {};
    Index c = A.first[r];
    for (; c + 2 <= A.last[r]; c += 2) {
      even.add(row[c], load_block(z + c * n_lanes));
      odd.add(row[c + 1], load_block(z + (c + 1) * n_lanes));
    }
    if (c < A.last[r]) even.add(row[c], load_block(z + c * n_lanes));
    even.add(odd);
    even.add(-1, load_block(b + r * n_lanes));
    for (c = A.first[r]; c < A.last[r]; ++c) {
      Block<double> sum = load_block(gradient + c * n_lanes);
      sum.add(row[c], even);
      store_block(gradient + c * n_lanes, sum);
    }
  }
}

// For each lane the largest element of the projected gradient: of the steps that x >= 0 allows.
void projected_maxima(const double* x, const double* gradient, Index n, double* maxima) {
  Block<double> top = {};
  for (Index c = 0; c < n; ++c) {
    Block<double> g = load_block(gradient + c * n_lanes);
    const Block<double> at = load_block(x + c * n_lanes);
#pragma GCC unroll 8
    for (int i = 0; i < g.n; ++i) {
      // what remains of a step that the bound x >= 0 stops
      const auto held = g.part[i] < at.part[i] ? g.part[i] : at.part[i];
      g.part[i] = g.part[i] < 0 ? -g.part[i] : held;
    }
    top = larger_of(top, g);
  }
  store_block(maxima, top);
}

// next = max(0, z - step * next), where `next` first holds the gradient at z. For each lane: the
// largest change of an element, and in `ahead` whether the step turned against the direction from x
// (> 0).
void projected_step(const double* x, const double* z, double step, Index n, double* next,
                    double* distance, double* ahead) {
  Block<double> top = {}, against = {};
  for (Index c = 0; c < n; ++c) {
    const Block<double> from = load_block(z + c * n_lanes), old = load_block(x + c * n_lanes);
    Block<double> to = load_block(next + c * n_lanes), gone = {};
#pragma GCC unroll 8
    for (int i = 0; i < to.n; ++i) {
      const auto free = from.part[i] - step * to.part[i];
      to.part[i] = free > 0 ? free : free - free;
      const auto back = from.part[i] - to.part[i];
      against.part[i] += back * (to.part[i] - old.part[i]);
      gone.part[i] = back < 0 ? -back : back;
    }
    top = larger_of(top, gone);
    store_block(next + c * n_lanes, to);
  }
  store_block(distance, top);
  store_block(ahead, against);
}

// z = next + momentum * (next - x), then x = next; lanes whose `moving` is 0 keep their x.
void extrapolate(const double* next, const double* momentum, const double* moving, Index n,
                 double* x, double* z) {
  const Block<double> by = load_block(momentum), on = load_block(moving);
  for (Index c = 0; c < n; ++c) {
    const Block<double> to = load_block(next + c * n_lanes);
    Block<double> at = load_block(x + c * n_lanes), beyond;
#pragma GCC unroll 8
    for (int i = 0; i < to.n; ++i) {
      beyond.part[i] = to.part[i] + by.part[i] * (to.part[i] - at.part[i]);
      at.part[i] = on.part[i] != 0 ? to.part[i] : at.part[i];
    }
    store_block(x + c * n_lanes, at);
    store_block(z + c * n_lanes, beyond);
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
