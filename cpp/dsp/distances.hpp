// Distances between frames of features. Lanes and scalars give the same bits: a distance depends on
// its two frames alone.
#pragma once

#include "base/buffer.hpp"
#include "base/fields.hpp"
#include "base/view.hpp"
#include "dsp/simd/decisions.hpp"

namespace metalmom::dsp {

using simd::Metric;

// n frames of n_features values each, one after the other.
struct Frames {
  const double* data = nullptr;
  Index n = 0, n_features = 0;

  const double* frame(Index i) const { return data + i * n_features; }
  Frames slice(Index first, Index count) const { return {frame(first), count, n_features}; }
};

// Euclidean norms, for the cosine distance. A frame of zeros has no direction: the distance from it
// is NaN, or 1 if `zero_is_one`.
Buffer<double> norms(const Frames& frames, bool zero_is_one);

// The distance between two frames; norms as above.
double distance(Metric metric, const double* a, double a_norm, const double* b, double b_norm,
                Index n_features);

// The frames that others are compared with, packed for lanes.
class PackedFrames {
 public:
  static constexpr Index lanes = 16;

  PackedFrames(const Frames& frames, bool zero_is_one = false);

  Index n() const { return n_; }
  Index stride() const { return n_blocks_ * lanes; }  // n, rounded up for lanes
  const double* norms() const { return norms_.data(); }

  // out[i * out_stride + j]: the distance between frame i of a and packed frame j, for the blocks
  // [first, first + count) of 16 frames. Places beyond n hold the distance from zeros.
  void distances(Metric metric, const Frames& a, const double* a_norms, Index first, Index count,
                 double* out, Index out_stride) const;

  // Distances of the packed frames from one another: rows [first, first + count) of `out`, (n,
  // stride()), from column `first` on, and by symmetry the rows below in these columns. `first` is
  // a multiple of 16. Uses fused multiply-adds, so results can differ from those above in the last
  // bit.
  void symmetric_distances(Metric metric, const Frames& frames, Index first, Index count,
                           double* out) const;

 private:
  simd::PointBlocks points(const Frames& a, const double* a_norms, Index first, Index count) const;

  Index n_, n_features_, n_blocks_;
  Buffer<double> blocks_, norms_;
};

}  // namespace metalmom::dsp

template <>
struct metalmom::EnumNames<metalmom::dsp::Metric> {
  static constexpr std::array<std::string_view, 5> value = {"euclidean", "sqeuclidean", "cityblock",
                                                            "chebyshev", "cosine"};
};
