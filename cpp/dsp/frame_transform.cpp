#include "dsp/frame_transform.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/cache.hpp"
#include "base/error.hpp"
#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {
namespace {

// Working memory of one thread for one precision of signal or transform.
template <class T>
struct Work {
  Scratch<T> gathered, samples, rows, lanes, spectra, kernel;
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

// Rows one after the other, an odd number of cache lines apart: 16 of them are read at once.
constexpr Index row_stride(Index n) {
  return (n / 32 * 2 + 3) * 16;
}

// The samples of up to 16 frames in lane layout.
template <class S>
const S* frame_lanes(const FrameSource<S>& source, Index first, Index count,
                     const simd::LaneKernels<S>& kernels) {
  S* const lanes = work<S>().lanes.get(static_cast<std::size_t>(source.n_fft * block_frames));
  const S* const begin = frame_in_place(source, first);
  if (begin && frame_in_place(source, first + count - 1)) {
    kernels.from_rows(begin, source.hop_length, count, source.n_fft, lanes);
    return lanes;
  }
  const Index stride = row_stride(source.n_fft);
  S* const rows = work<S>().rows.get(static_cast<std::size_t>(stride * block_frames));
  for (Index i = 0; i < count; ++i)
    std::copy_n(frame_samples(source, first + i), source.n_fft, rows + i * stride);
  kernels.from_rows(rows, stride, count, source.n_fft, lanes);
  return lanes;
}

// |X|^2 to |X|^power.
template <class S>
void raise(S* squares, Index n, float power, const simd::LaneKernels<S>& kernels) {
  if (power == 1)
    kernels.square_roots(squares, n);
  else if (power != 2)
    std::transform(squares, squares + n, squares, [half = static_cast<S>(power / 2)](S squared) {
      return std::pow(squared, half);
    });
}

}  // namespace

template <class T>
FrameTransform<T>::FrameTransform(Index n_fft, std::span<const double> window)
    : set_(simd::kernels()),
      same_(simd::frame_kernels<T, T>(set_, n_fft)),
      single_(simd::frame_kernels<T, float>(set_, n_fft)),
      n_fft_(n_fft) {
  const auto length = static_cast<Index>(window.size());
  require(length >= 1 && length <= n_fft, "win_length", length, "between 1 and n_fft");
  if (has_kernels())
    table_ = simd::fft_table<T>(n_fft / 2, same_.width);
  else
    fft_ = real_fft<T>(n_fft);
  if (!has_kernels() && simd::mixed_kernels<T, T>(set_).powers)
    mixed_ = simd::mixed_table<T>(n_fft);
  const auto padded = [&](double factor) {
    Buffer<T> values(static_cast<std::size_t>(n_fft));
    values.zero();
    std::transform(window.begin(), window.end(), values.data() + (n_fft - length) / 2,
                   [factor](double value) { return static_cast<T>(value * factor); });
    return values;
  };
  window_ = padded(has_kernels() || (mixed_ && mixed_->plan.packed()) ? 0.5 : 1.0);
  inverse_window_ = padded(has_kernels() ? 1.0 / static_cast<double>(n_fft) : 1.0);
}

template <class T>
template <class S>
const simd::FrameKernels<T, S>& FrameTransform<T>::kernels() const {
  if constexpr (std::is_same_v<S, T>)
    return same_;
  else
    return single_;
}

template <class T>
template <class S>
const simd::MixedKernels<T, S>& FrameTransform<T>::mixed() const {
  return simd::mixed_kernels<T, S>(set_);
}

template <class T>
T* FrameTransform<T>::kernel_work() const {
  const Index size = mixed_ ? simd::mixed_work_size(mixed_->plan.points)
                            : simd::work_size(n_fft_ / 2, same_.width);
  return work<T>().kernel.get(static_cast<std::size_t>(size));
}

template <class T>
template <class S>
const std::complex<T>* FrameTransform<T>::library_spectrum(const S* samples) const {
  T* windowed = work<T>().samples.get(window_.size());
  for (std::size_t i = 0; i < window_.size(); ++i)
    windowed[i] = static_cast<T>(samples[i]) * window_[i];
  std::complex<T>* bins = work<T>().bins.get(static_cast<std::size_t>(n_bins()));
  fft_->forward(windowed, bins);
  return bins;
}

template <class T>
template <class S>
void FrameTransform<T>::square_magnitudes(const S* samples, S* row) const {
  if (has_kernels()) {
    kernels<S>().power(table_->data(), samples, window_.data(), kernel_work(), row);
    return;
  }
  const std::complex<T>* bins = library_spectrum(samples);
  for (Index k = 0; k < n_bins(); ++k) {
    const S re = static_cast<S>(bins[k].real()), im = static_cast<S>(bins[k].imag());
    row[k] = re * re + im * im;
  }
}

template <class T>
template <class S>
void FrameTransform<T>::spectrum(const S* samples, std::complex<S>* bins) const {
  if (has_kernels()) {
    kernels<S>().spectrum(table_->data(), samples, window_.data(), kernel_work(),
                          reinterpret_cast<S*>(bins));
    return;
  }
  const std::complex<T>* exact = library_spectrum(samples);
  std::transform(exact, exact + n_bins(), bins,
                 [](std::complex<T> bin) { return static_cast<std::complex<S>>(bin); });
}

template <class T>
template <class S>
void FrameTransform<T>::power_block(const FrameSource<S>& source, Index first, Index count,
                                    float power, S* lanes) const {
  const auto& lane_kernels = simd::lane_kernels<S>(set_);
  if (mixed_) {
    mixed<S>().powers(mixed_->plan, frame_lanes(source, first, count, lane_kernels), window_.data(),
                      count, kernel_work(), lanes);
  } else {
    const Index stride = row_stride(n_bins());
    S* rows = work<S>().rows.get(static_cast<std::size_t>(stride * block_frames));
    for (Index i = 0; i < count; ++i)
      square_magnitudes(frame_samples(source, first + i), rows + i * stride);
    lane_kernels.from_rows(rows, stride, count, n_bins(), lanes);
  }
  raise(lanes, n_bins() * block_frames, power, lane_kernels);
}

template <class T>
template <class S>
void FrameTransform<T>::spectra(const FrameSource<S>& source, Index first, Index count,
                                std::complex<S>* bins) const {
  if (!mixed_)
    for (Index i = 0; i < count; ++i)
      spectrum(frame_samples(source, first + i), bins + i * n_bins());
  else
    for (Index i = 0; i < count; i += block_frames) {
      const Index here = std::min(block_frames, count - i);
      spectra_of_lanes(frame_lanes(source, first + i, here, simd::lane_kernels<S>(set_)), here,
                       bins + i * n_bins());
    }
}

template <class T>
template <class S>
void FrameTransform<T>::spectra_of(const S* frames, Index stride, Index count,
                                   std::complex<S>* bins) const {
  if (!mixed_)
    for (Index i = 0; i < count; ++i) spectrum(frames + i * stride, bins + i * n_bins());
  else
    for (Index i = 0; i < count; i += block_frames) {
      const Index here = std::min(block_frames, count - i);
      S* const lanes = work<S>().lanes.get(static_cast<std::size_t>(n_fft_ * block_frames));
      simd::lane_kernels<S>(set_).from_rows(frames + i * stride, stride, here, n_fft_, lanes);
      spectra_of_lanes(lanes, here, bins + i * n_bins());
    }
}

template <class T>
template <class S>
void FrameTransform<T>::spectra_of_lanes(const S* lanes, Index count, std::complex<S>* bins) const {
  const Index n_values = 2 * n_bins();
  S* const out = work<S>().spectra.get(static_cast<std::size_t>(n_values * block_frames));
  mixed<S>().spectra(mixed_->plan, lanes, window_.data(), count, kernel_work(), out);
  simd::lane_kernels<S>(set_).to_rows(out, n_values, count, reinterpret_cast<S*>(bins), n_values);
}

template <class T>
template <class S>
void FrameTransform<T>::overlap_add(const std::complex<S>* bins, Index begin, Index end,
                                    S* out) const {
  T* samples = work<T>().samples.get(static_cast<std::size_t>(n_fft_));
  if (has_kernels()) {
    kernels<S>().inverse(table_->data(), reinterpret_cast<const S*>(bins), inverse_window_.data(),
                         kernel_work(), samples);
  } else {
    std::complex<T>* copy = work<T>().bins.get(static_cast<std::size_t>(n_bins()));
    std::transform(bins, bins + n_bins(), copy,
                   [](std::complex<S> bin) { return static_cast<std::complex<T>>(bin); });
    fft_->inverse(copy, samples);
    for (Index i = begin; i < end; ++i) samples[i] *= inverse_window_.data()[i];
  }
  for (Index i = begin; i < end; ++i) out[i - begin] += static_cast<S>(samples[i]);
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
