// Window, transform and magnitude of the frames of a signal: what every spectral op begins with,
// and what istft ends with.
//
// Contracts
// - A FrameTransform is immutable and used by any number of threads at once; working memory is
//   lent (base/workspace.hpp), so that calls after the first allocate nothing.
// - T is the precision of window and transform. Signals and results have their own type S, as
//   librosa's dtypes have: (T, S) is (float, float), (double, double), or (double, float), which
//   transforms float32 audio in double and rounds each bin once, as librosa does.
// - A block is at most 16 frames in lane layout: lanes[bin * 16 + i] belongs to frame first + i, so
//   that whatever follows (bands, logarithms, DCT) works on 16 frames per instruction. A lane's
//   numbers never depend on its neighbours or on how frames are cut into blocks.
#pragma once

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "dsp/fft.hpp"
#include "dsp/frames.hpp"
#include "dsp/simd/fft_table.hpp"

namespace metalmom::dsp {

inline constexpr Index block_frames = simd::n_lanes;

template <class T>
class FrameTransform {
 public:
  // `window`: 1 to n_fft values, put into the middle of n_fft zeros.
  FrameTransform(Index n_fft, std::span<const double> window);

  Index n_fft() const { return n_fft_; }
  Index n_bins() const { return n_fft_ / 2 + 1; }
  // Memory of this transform, with the tables and plans that it shares.
  std::size_t bytes() const;

  // lanes[bin * 16 + i] = |X|^power of frame first + i, for i < count <= 16 and power > 0; the
  // lanes from count on are zero. `lanes`: n_bins * 16 values, aligned to 64 bytes. In (double,
  // float) the bins are rounded to float before the magnitude, as librosa's spectrogram has them.
  template <class S>
  void power_block(const FrameSource<S>& source, Index first, Index count, float power,
                   S* lanes) const;

  // Other powers of the same block: lanes = |X|^power from squares = |X|^2, bit for bit what
  // power_block gives for that power. `squares` may be `lanes`. Where squares overflow or vanish in
  // S although magnitudes do not, frames are transformed again, with a window or samples that are
  // scaled.
  template <class S>
  void raise(const FrameSource<S>& source, Index first, Index count, const S* squares, float power,
             S* lanes) const;

  // lanes[bin * 16] = |X|^2 of one frame, whose samples are divided by 2^exponent: the largest is
  // between 1 and 4, and squares neither overflow nor vanish. False for silence, which has no
  // exponent.
  template <class S>
  bool scaled_squares(const FrameSource<S>& source, Index frame, S* lanes, int& exponent) const;

  // Power and raised power of one frame, its bins side by side: bit for bit what a lane has.
  template <class S>
  void power_row(const FrameSource<S>& source, Index frame, float power, S* row) const;
  template <class S>
  void raise_row(const FrameSource<S>& source, Index frame, const S* squares, float power,
                 S* row) const;

  // Complex spectra of `count` frames, n_bins values each, one after the other.
  template <class S>
  void spectra(const FrameSource<S>& source, Index first, Index count, std::complex<S>* bins) const;

  // The same for frames that are in memory already, n_fft samples each, `stride` apart.
  template <class S>
  void spectra_of(const S* frames, Index stride, Index count, std::complex<S>* bins) const;

  // Inverse transform of one spectrum times the window; adds its samples [begin, end) to
  // out[0 .. end - begin).
  template <class S>
  void overlap_add(const std::complex<S>* bins, Index begin, Index end, S* out) const;

  // The same for `count` spectra, one after the other: the first begins at sample `at` of a signal
  // of `length` samples, the others `hop` apart. Samples outside of the signal are dropped.
  template <class S>
  void overlap_add(const std::complex<S>* bins, Index count, Index at, Index hop, Index length,
                   S* out) const;

 private:
  // Kernels of powers of two, and what they read: see simd/kernels.hpp.
  template <class S>
  const simd::FrameKernels<T, S>& kernels() const {
    if constexpr (std::is_same_v<S, T>)
      return same_;
    else
      return single_;
  }
  bool has_kernels() const { return same_.width > 0; }
  template <class S>
  const simd::MixedKernels<T, S>& mixed() const {
    return simd::mixed_kernels<T, S>(set_);
  }
  template <class S>
  void spectra_of_lanes(const S* lanes, Index count, std::complex<S>* bins) const;
  // The windowed samples of up to 16 spectra as rows, `stride` apart.
  void inverse_rows(const std::complex<T>* bins, Index count, T* rows, Index stride) const;
  // Size of the working memory (`work` below) of one frame's transform, or of 16 in lanes.
  Index work_size() const;

  // A window times 2^exponent, for frames whose squares vanish in S: all whose samples are below
  // `most`, and perhaps louder ones. The squares of the products neither vanish nor overflow.
  struct QuietWindow {
    Buffer<T> values;
    double most = -1;
    int exponent = 0;
  };
  template <class S>
  QuietWindow quiet_window(std::span<const double> window) const;
  template <class S>
  const QuietWindow& quiet() const {
    if constexpr (std::is_same_v<S, T>)
      return quiet_same_;
    else
      return quiet_single_;
  }
  template <class S>
  bool are_quiet(const FrameSource<S>& source, Index first, Index count) const;
  template <class S>
  void quiet_block(const FrameSource<S>& source, Index first, Index count, float power,
                   S* lanes) const;
  template <class S>
  void quiet_row(const FrameSource<S>& source, Index frame, float power, S* row) const;

  template <class S>
  void raise_scaled(const FrameSource<S>& source, Index first, std::span<const Index> which,
                    float power, S* lanes) const;

  // `window`: `window_`, or that of quiet frames.
  template <class S>
  void square_block(const FrameSource<S>& source, Index first, Index count, const T* window,
                    S* lanes) const;
  template <class S>
  void square_row(const FrameSource<S>& source, Index frame, const T* window, S* row) const;
  template <class S>
  void square_magnitudes(const S* samples, const T* window, T* work, S* row) const;
  template <class S>
  void spectrum(const S* samples, T* work, std::complex<S>* bins) const;
  template <class S>
  const std::complex<T>* library_spectrum(const S* samples, const T* window, T* work) const;

  const simd::Kernels& set_;
  simd::FrameKernels<T, T> same_;
  simd::FrameKernels<T, float> single_;
  std::shared_ptr<const Buffer<T>> table_;
  // For sizes without a kernel: frames in lanes if the size allows it, else the library.
  std::shared_ptr<const simd::MixedTable<T>> mixed_;
  std::shared_ptr<const RealFft<T>> fft_;
  Index n_fft_;
  Buffer<T> window_, inverse_window_;  // times the factors that kernels expect
  QuietWindow quiet_same_, quiet_single_;
};

// The transform of this window, from a bounded cache.
template <class T>
std::shared_ptr<const FrameTransform<T>> frame_transform(Index n_fft,
                                                         std::span<const double> window);

}  // namespace metalmom::dsp
