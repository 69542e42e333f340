// Inverse transforms of frames, and their sum where frames overlap.
#include "base/interrupt.hpp"
#include "dsp/frame_work.hpp"

namespace metalmom::dsp {

template <class T>
template <class S>
void FrameTransform<T>::overlap_add(const std::complex<S>* bins, Index begin, Index end,
                                    S* out) const {
  const Lent<T> samples(n_fft_);
  if (has_kernels()) {
    const Lent<T> work(work_size());
    kernels<S>().inverse(table_->data(), reinterpret_cast<const S*>(bins), inverse_window_.data(),
                         work, samples);
  } else {
    check_interrupt();
    const Lent<std::complex<T>> copy(n_bins());
    std::transform(bins, bins + n_bins(), copy.data(),
                   [](std::complex<S> bin) { return static_cast<std::complex<T>>(bin); });
    fft_->inverse(copy, samples);
    for (Index i = begin; i < end; ++i) samples[i] *= inverse_window_.data()[i];
  }
  for (Index i = begin; i < end; ++i) out[i - begin] += static_cast<S>(samples[i]);
}

template <class T>
void FrameTransform<T>::inverse_rows(const std::complex<T>* bins, Index count, T* rows,
                                     Index stride) const {
  const auto& lane_kernels = simd::lane_kernels<T>(set_);
  const Index n_values = 2 * n_bins();
  const Lent<T> work(work_size()), lanes(n_values * block_frames), samples(n_fft_ * block_frames);
  lane_kernels.from_rows(reinterpret_cast<const T*>(bins), n_values, count, n_values, lanes);
  simd::mixed_inverse<T>(set_)(mixed_->plan, lanes, inverse_window_.data(), count, work, samples);
  lane_kernels.to_rows(samples, n_fft_, count, rows, stride);
}

template <class T>
template <class S>
void FrameTransform<T>::overlap_add(const std::complex<S>* bins, Index count, Index at, Index hop,
                                    Index length, S* out) const {
  const auto first_inside = [&](Index start) { return std::max<Index>(-start, 0); };
  const auto last_inside = [&](Index start) { return std::min(n_fft_, length - start); };
  if constexpr (std::is_same_v<S, T>)
    if (mixed_) {
      const Index stride = row_stride(n_fft_);
      const Lent<T> rows(stride * block_frames);
      for (Index i = 0; i < count; i += block_frames) {
        const Index here = std::min(block_frames, count - i);
        inverse_rows(bins + i * n_bins(), here, rows, stride);
        const T* row = rows;
        for (Index k = 0; k < here; ++k, row += stride) {
          const Index start = at + (i + k) * hop;
          for (Index n = first_inside(start); n < last_inside(start); ++n) out[start + n] += row[n];
        }
      }
      return;
    }
  for (Index i = 0; i < count; ++i) {
    const Index start = at + i * hop, from = first_inside(start);
    overlap_add(bins + i * n_bins(), from, last_inside(start), out + (start + from));
  }
}

template void FrameTransform<float>::overlap_add(const std::complex<float>*, Index, Index, Index,
                                                 Index, float*) const;
template void FrameTransform<float>::overlap_add(const std::complex<float>*, Index, Index,
                                                 float*) const;
template void FrameTransform<double>::overlap_add(const std::complex<double>*, Index, Index, Index,
                                                  Index, double*) const;
template void FrameTransform<double>::overlap_add(const std::complex<double>*, Index, Index,
                                                  double*) const;
template void FrameTransform<double>::overlap_add(const std::complex<float>*, Index, Index,
                                                  float*) const;
template void FrameTransform<float>::inverse_rows(const std::complex<float>*, Index, float*,
                                                  Index) const;
template void FrameTransform<double>::inverse_rows(const std::complex<double>*, Index, double*,
                                                   Index) const;

}  // namespace metalmom::dsp
