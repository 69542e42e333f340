#include "stream/block_spectra.hpp"

#include <algorithm>
#include <vector>

#include "base/workspace.hpp"

namespace metalmom::stream {

template <class T>
BlockSpectra<T>::BlockSpectra(Index size)
    : size_(size), kernels_(dsp::simd::partition_kernels<T>()) {
  // The own kernels begin at 256 samples; below, and where a set has none, the library's is faster
  // than sixteen frames in lanes.
  if (2 * size >= 256) {
    const std::vector<double> ones(static_cast<std::size_t>(2 * size), 1.0);
    transform_ = dsp::frame_transform<T>(2 * size, ones);
  } else {
    small_ = dsp::real_fft<T>(2 * size);
  }
}

template <class T>
T BlockSpectra<T>::forward(const T* samples, T* groups, Index stride) const {
  const Lent<std::complex<T>> bins(size_ + 1);
  if (transform_) {
    transform_->spectra_of(samples, 2 * size_, 1, bins.data());
  } else {
    const Lent<T> aligned(2 * size_);
    std::copy_n(samples, 2 * size_, aligned.data());
    small_->forward(aligned, bins);
  }
  kernels_.to_groups(reinterpret_cast<const T*>(bins.data()), n_groups(), groups, stride);
  return bins.data()[size_].real();
}

template <class T>
void BlockSpectra<T>::add_inverse(const T* groups, T half_rate, T* out) const {
  const Lent<std::complex<T>> bins(size_ + 1);
  kernels_.to_pairs(groups, n_groups(), reinterpret_cast<T*>(bins.data()));
  bins.data()[size_] = half_rate;
  if (transform_) {
    transform_->overlap_add(bins.data(), size_, 2 * size_, out);
  } else {
    const Lent<T> samples(2 * size_);
    small_->inverse(bins, samples);
    for (Index i = 0; i < size_; ++i) out[i] += samples[size_ + i];
  }
}

template class BlockSpectra<float>;
template class BlockSpectra<double>;

}  // namespace metalmom::stream
