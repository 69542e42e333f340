// Autocorrelation of a signal, and of every window of a signal (tempograms).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/view.hpp"
#include "dsp/simd/lane_plan.hpp"

namespace metalmom::dsp {

// out[k] = sum over n of y[n] y[n + k], through a padded Fourier transform in T. `out` is at most
// as long as y.
template <class T>
void autocorrelate(std::span<const T> y, std::span<T> out);

// Frames that one call of LocalAutocorrelation or normalize_columns may cover.
inline constexpr Index local_frames = 64;

// The autocorrelation of each windowed frame of a signal, for frames one sample apart. Each frame
// is a lane of a transform: frames share loads and twiddles, but no number of one depends on
// another (a frame of silence gives exact zeros). Immutable, usable by any number of threads.
class LocalAutocorrelation {
 public:
  explicit LocalAutocorrelation(Index length);

  // Values of a window that `block` reads; they must be zero beyond the window's length.
  Index window_size() const { return plan_.points; }
  // What its tables take.
  std::size_t bytes() const;
  // Values of x that `block` reads; all must be finite.
  Index reach() const { return plan_.points + local_frames + 8; }

  // out[k * stride + t] = sum over i of window[i] x[t + i] * window[i + k] x[t + i + k], for
  // k < length and t < count <= local_frames.
  void block(const double* x, const double* window, Index count, double* out, Index stride) const;
  // out[k] = the sum of these over t < count, where each frame is first divided by its lag 0 (the
  // peak), unless that is below the smallest normal number.
  void scaled_sum(const double* x, const double* window, Index count, double* out) const;

 private:
  void fill_twiddles(const std::vector<int>& radices);
  void fill_pairs(const std::vector<int>& radices);

  Index length_;
  simd::LanePlan plan_;
  std::vector<simd::LanePass> passes_;
  std::vector<simd::LanePair> pairs_;
  std::vector<double> twiddles_;
};

// The one of this window length, from a bounded cache.
std::shared_ptr<const LocalAutocorrelation> local_autocorrelation(Index length);

// Scales columns to unit norm (as util.normalize: infinity, -infinity, 0 or p > 0); columns whose
// norm is below the smallest normal number stay as they are. count <= local_frames.
void normalize_columns(double* values, Index rows, Index count, Index stride, double norm);

}  // namespace metalmom::dsp
