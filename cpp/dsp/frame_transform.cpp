#include "dsp/frame_transform.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/cache.hpp"
#include "base/error.hpp"

namespace metalmom::dsp {
namespace {

// Working memory of one thread for one precision of signal or transform.
template <class T>
struct Work {
  Scratch<T> gathered, windowed;
  Scratch<std::complex<T>> bins;
};

template <class T>
Work<T>& work() {
  static thread_local Work<T> instance;
  return instance;
}

template <class S>
const S* frame_samples(const FrameSource<S>& source, Index frame) {
  if (const S* samples = frame_in_place(source, frame)) return samples;
  S* gathered = work<S>().gathered.get(static_cast<std::size_t>(source.n_fft));
  gather_frame(source, frame, gathered);
  return gathered;
}

template <class T, class S>
void magnitudes_to_lane(const std::complex<T>* bins, Index n_bins, float power, S* lane) {
  const auto each = [&](auto&& magnitude) {
    for (Index k = 0; k < n_bins; ++k) {
      const S re = static_cast<S>(bins[k].real()), im = static_cast<S>(bins[k].imag());
      lane[k * block_frames] = magnitude(re * re + im * im);
    }
  };
  if (power == 2)
    each([](S squared) { return squared; });
  else if (power == 1)
    each([](S squared) { return std::sqrt(squared); });
  else
    each([half = static_cast<S>(power / 2)](S squared) { return std::pow(squared, half); });
}

}  // namespace

template <class T>
FrameTransform<T>::FrameTransform(Index n_fft, std::span<const double> window)
    : fft_(real_fft<T>(n_fft)), window_(static_cast<std::size_t>(n_fft)) {
  const auto length = static_cast<Index>(window.size());
  require(length >= 1 && length <= n_fft, "win_length", length, "between 1 and n_fft");
  window_.zero();
  std::transform(window.begin(), window.end(), window_.data() + (n_fft - length) / 2,
                 [](double value) { return static_cast<T>(value); });
}

template <class T>
template <class S>
void FrameTransform<T>::spectrum(const S* samples, std::complex<T>* bins) const {
  const auto n = static_cast<std::size_t>(n_fft());
  T* windowed = work<T>().windowed.get(n);
  for (std::size_t i = 0; i < n; ++i) windowed[i] = static_cast<T>(samples[i]) * window_[i];
  fft_->forward(windowed, bins);
}

template <class T>
template <class S>
void FrameTransform<T>::power_block(const FrameSource<S>& source, Index first, Index count,
                                    float power, S* lanes) const {
  std::complex<T>* bins = work<T>().bins.get(static_cast<std::size_t>(n_bins()));
  if (count < block_frames) std::fill_n(lanes, n_bins() * block_frames, S(0));
  for (Index i = 0; i < count; ++i) {
    spectrum(frame_samples(source, first + i), bins);
    magnitudes_to_lane(bins, n_bins(), power, lanes + i);
  }
}

template <class T>
template <class S>
void FrameTransform<T>::spectra(const FrameSource<S>& source, Index first, Index count,
                                std::complex<S>* bins) const {
  for (Index i = 0; i < count; ++i)
    spectra_of(frame_samples(source, first + i), 0, 1, bins + i * n_bins());
}

template <class T>
template <class S>
void FrameTransform<T>::spectra_of(const S* frames, Index stride, Index count,
                                   std::complex<S>* bins) const {
  std::complex<T>* exact = work<T>().bins.get(static_cast<std::size_t>(n_bins()));
  for (Index i = 0; i < count; ++i) {
    spectrum(frames + i * stride, exact);
    std::transform(exact, exact + n_bins(), bins + i * n_bins(),
                   [](std::complex<T> bin) { return static_cast<std::complex<S>>(bin); });
  }
}

template <class T>
template <class S>
void FrameTransform<T>::overlap_add(const std::complex<S>* bins, Index begin, Index end,
                                    S* out) const {
  std::complex<T>* copy = work<T>().bins.get(static_cast<std::size_t>(n_bins()));
  T* samples = work<T>().windowed.get(static_cast<std::size_t>(n_fft()));
  std::transform(bins, bins + n_bins(), copy,
                 [](std::complex<S> bin) { return static_cast<std::complex<T>>(bin); });
  fft_->inverse(copy, samples);
  for (Index i = begin; i < end; ++i)
    out[i - begin] += static_cast<S>(samples[i] * window_[static_cast<std::size_t>(i)]);
}

template <class T>
std::shared_ptr<const FrameTransform<T>> frame_transform(Index n_fft,
                                                         std::span<const double> window) {
  using Key = std::pair<Index, std::vector<double>>;
  static Cache<Key, FrameTransform<T>> transforms(16);
  return transforms.get(Key{n_fft, {window.begin(), window.end()}},
                        [&] { return std::make_shared<const FrameTransform<T>>(n_fft, window); });
}

template void FrameTransform<float>::power_block(const FrameSource<float>&, Index, Index, float,
                                                 float*) const;
template void FrameTransform<float>::spectra(const FrameSource<float>&, Index, Index,
                                             std::complex<float>*) const;
template void FrameTransform<float>::spectra_of(const float*, Index, Index,
                                                std::complex<float>*) const;
template void FrameTransform<float>::overlap_add(const std::complex<float>*, Index, Index,
                                                 float*) const;
template void FrameTransform<double>::power_block(const FrameSource<double>&, Index, Index, float,
                                                  double*) const;
template void FrameTransform<double>::spectra(const FrameSource<double>&, Index, Index,
                                              std::complex<double>*) const;
template void FrameTransform<double>::spectra_of(const double*, Index, Index,
                                                 std::complex<double>*) const;
template void FrameTransform<double>::overlap_add(const std::complex<double>*, Index, Index,
                                                  double*) const;
template void FrameTransform<double>::power_block(const FrameSource<float>&, Index, Index, float,
                                                  float*) const;
template void FrameTransform<double>::spectra(const FrameSource<float>&, Index, Index,
                                              std::complex<float>*) const;
template void FrameTransform<double>::spectra_of(const float*, Index, Index,
                                                 std::complex<float>*) const;
template void FrameTransform<double>::overlap_add(const std::complex<float>*, Index, Index,
                                                  float*) const;

template class FrameTransform<float>;
template class FrameTransform<double>;
template std::shared_ptr<const FrameTransform<float>> frame_transform(Index,
                                                                      std::span<const double>);
template std::shared_ptr<const FrameTransform<double>> frame_transform(Index,
                                                                       std::span<const double>);

}  // namespace metalmom::dsp
