// Autocorrelation of a signal, and of every window of a signal (tempograms).
#pragma once

#include <span>

#include "base/view.hpp"

namespace metalmom::dsp {

// out[k] = sum over n of y[n] y[n + k], through a padded Fourier transform in T. `out` is at most
// as long as y.
template <class T>
void autocorrelate(std::span<const T> y, std::span<T> out);

// Frames that one call of local_autocorrelation may cover: a few registers of sums.
inline constexpr Index local_frames = 64;

// The autocorrelation of each windowed frame: out[k * stride + t] = sum over i of
// window[i] x[t + i] * window[i + k] x[t + i + k], for k < window.size() and t < count <=
// local_frames. Reads x[0 .. local_frames + window.size() - 1), also when count is smaller.
void local_autocorrelation(const double* x, std::span<const double> window, Index count,
                           double* out, Index stride);

// Scales columns to unit norm (as util.normalize: infinity, -infinity, 0 or p > 0); columns whose
// norm is below the smallest normal number stay as they are. count <= local_frames.
void normalize_columns(double* values, Index rows, Index count, Index stride, double norm);

}  // namespace metalmom::dsp
