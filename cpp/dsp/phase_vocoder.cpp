#include "dsp/phase_vocoder.hpp"

#include <algorithm>
#include <cmath>

#include "base/pace.hpp"
#include "dsp/simd/tonal_kernels.hpp"

namespace metalmom::dsp {
namespace {

Index row_size(Index count) {
  return (count + 7) / 8 * 8;
}

// Frames in polar form. The last two are kept, since neighbouring times share frames.
template <class T>
class PolarFrames {
 public:
  PolarFrames(const simd::VocoderKernels<T>& kernels, const std::complex<T>* spectra, Index stride,
              Index count, double* scratch)
      : kernels_(kernels), spectra_(spectra), stride_(stride), count_(count) {
    const Index size = row_size(count);
    for (Index i = 0; i < 2; ++i) {
      double* const at = scratch + 3 * i * size;
      rows_[i] = {at, at + size, at + 2 * size};
    }
  }

  simd::PolarRow at(Index frame) {
    const Index slot = frame % 2;
    if (held_[slot] != frame) {
      kernels_.polar(reinterpret_cast<const T*>(spectra_ + frame * stride_), count_, 2 * stride_,
                     rows_[slot]);
      held_[slot] = frame;
    }
    return rows_[slot];
  }

 private:
  const simd::VocoderKernels<T>& kernels_;
  const std::complex<T>* spectra_;
  Index stride_, count_;
  simd::PolarRow rows_[2];
  Index held_[2] = {-1, -1};
};

}  // namespace

Index phase_vocoder_scratch(Index count) {
  return 9 * row_size(count);
}

template <class T>
void phase_vocoder(View<const std::complex<T>> spectra, Index b, std::span<const double> times,
                   View<const double> magnitudes, Index first, Index count,
                   View<std::complex<T>> out, double* scratch) {
  const auto& kernels = simd::vocoder_kernels<T>();
  const Index size = row_size(count), last = spectra.rows - 1;
  PolarFrames<T> frames(kernels, spectra.row(b) + first, spectra.cols, count, scratch);
  const simd::PolarRow phase{scratch + 6 * size, scratch + 7 * size, scratch + 8 * size};
  const simd::PolarRow begin = frames.at(static_cast<Index>(times[0]));
  std::copy_n(begin.re, size, phase.re);
  std::copy_n(begin.im, size, phase.im);

  Pace pace;
  for (std::size_t k = 0; k < times.size(); ++k) {
    pace.did(count);
    const auto before = static_cast<Index>(times[k]);
    T* const bins = reinterpret_cast<T*>(out.row(b, static_cast<Index>(k)) + first);
    // After the last frame the phase does not advance, but magnitudes follow the line through the
    // last two frames.
    const Index low = last > 0 ? std::min(before, last - 1) : 0, high = std::min(low + 1, last);
    simd::PolarRow from = frames.at(low), to = frames.at(high);
    double weight = times[k] - static_cast<double>(low);
    if (magnitudes.data) {
      std::copy_n(magnitudes.row(b, static_cast<Index>(k)) + first, count, phase.length);
      from.length = to.length = phase.length;
      weight = 0;
    }
    kernels.advance(from, to, weight, before < last, count, phase, 2 * out.cols, bins);
  }
}

template void phase_vocoder(View<const std::complex<float>>, Index, std::span<const double>,
                            View<const double>, Index, Index, View<std::complex<float>>, double*);
template void phase_vocoder(View<const std::complex<double>>, Index, std::span<const double>,
                            View<const double>, Index, Index, View<std::complex<double>>, double*);

}  // namespace metalmom::dsp
