#include "dsp/distances.hpp"

#include <algorithm>
#include <cmath>

#include "base/ceil_div.hpp"
#include "base/pace.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::dsp {

Buffer<double> norms(const Frames& frames, bool zero_is_one) {
  Buffer<double> result(static_cast<std::size_t>(frames.n));
  for (Index i = 0; i < frames.n; ++i) {
    const double* const x = frames.frame(i);
    double sum = 0;
    for (Index k = 0; k < frames.n_features; ++k) sum += x[k] * x[k];
    result.data()[i] = sum == 0 && zero_is_one ? 1 : std::sqrt(sum);
  }
  return result;
}

double distance(Metric metric, const double* a, double a_norm, const double* b, double b_norm,
                Index n_features) {
  double sum = 0;
  for (Index k = 0; k < n_features; ++k) {
    const double d = a[k] - b[k];
    switch (metric) {
      case Metric::euclidean:
      case Metric::sqeuclidean:
        sum += d * d;
        break;
      case Metric::cityblock:
        sum += std::abs(d);
        break;
      case Metric::chebyshev:
        sum = std::max(sum, std::abs(d));
        break;
      case Metric::cosine:
        sum += a[k] * b[k];
    }
  }
  if (metric == Metric::euclidean) return std::sqrt(sum);
  if (metric == Metric::cosine) return 1 - std::clamp(sum / (a_norm * b_norm), -1.0, 1.0);
  return sum;
}

PackedFrames::PackedFrames(const Frames& frames, bool zero_is_one)
    : n_(frames.n),
      n_features_(frames.n_features),
      n_blocks_(ceil_div(n_, lanes)),
      blocks_(static_cast<std::size_t>(n_blocks_ * lanes * n_features_)),
      norms_(static_cast<std::size_t>(stride())) {
  const auto& kernels = simd::kernels().double_lanes;
  Pace pace;
  for (Index block = 0; block < n_blocks_; ++block) {
    kernels.from_rows(frames.frame(block * lanes), n_features_, std::min(lanes, n_ - block * lanes),
                      n_features_, blocks_.data() + block * lanes * n_features_);
    pace.did(lanes * n_features_);
  }
  const Buffer<double> each = dsp::norms(frames, zero_is_one);
  std::fill(std::copy(each.begin(), each.end(), norms_.begin()), norms_.end(), 1.0);
}

simd::PointBlocks PackedFrames::points(const Frames& a, const double* a_norms, Index first,
                                       Index count) const {
  return {a.data,
          a_norms,
          a.n,
          blocks_.data() + first * lanes * n_features_,
          norms_.data() + first * lanes,
          count,
          n_features_};
}

void PackedFrames::distances(Metric metric, const Frames& a, const double* a_norms, Index first,
                             Index count, double* out, Index out_stride) const {
  simd::kernels().decisions().distances(metric, points(a, a_norms, first, count), out, out_stride);
}

void PackedFrames::symmetric_distances(Metric metric, const Frames& frames, Index first,
                                       Index count, double* out) const {
  const Index block = first / lanes, beyond = first + count;
  double* const rows = out + first * stride();
  simd::kernels().fused_distances(
      metric, points(frames.slice(first, count), norms() + first, block, n_blocks_ - block),
      rows + first, stride());
  simd::kernels().decisions().transpose(rows + beyond, stride(), count, n_ - beyond,
                                        out + beyond * stride() + first, stride());
}

}  // namespace metalmom::dsp
