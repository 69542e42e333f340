// Window, transform and magnitude of the frames of a signal: what every spectral op begins with,
// and what istft ends with.
//
// Contracts
// - A FrameTransform is immutable and used by any number of threads at once; working memory is
//   kept per thread, so that calls after the first allocate nothing.
// - T is the precision of window and transform. Signals and results have their own type S, as
//   librosa's dtypes have: (T, S) is (float, float), (double, double), or (double, float), which
//   transforms float32 audio in double and rounds each bin once, as librosa does.
// - A block is at most 16 frames in lane layout: lanes[bin * 16 + i] belongs to frame first + i, so
//   that whatever follows (bands, logarithms, DCT) works on 16 frames per instruction. A lane's
//   numbers never depend on its neighbours or on how frames are cut into blocks.
#pragma once

#include <complex>
#include <memory>
#include <span>

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "dsp/fft.hpp"
#include "dsp/frames.hpp"

namespace metalmom::dsp {

inline constexpr Index block_frames = 16;

template <class T>
class FrameTransform {
 public:
  // `window`: 1 to n_fft values, put into the middle of n_fft zeros.
  FrameTransform(Index n_fft, std::span<const double> window);

  Index n_fft() const { return fft_->size(); }
  Index n_bins() const { return fft_->n_bins(); }

  // lanes[bin * 16 + i] = |X|^power of frame first + i, for i < count <= 16 and power > 0; the
  // lanes from count on are zero. `lanes`: n_bins * 16 values, aligned to 64 bytes. In (double,
  // float) the bins are rounded to float before the magnitude, as librosa's spectrogram has them.
  template <class S>
  void power_block(const FrameSource<S>& source, Index first, Index count, float power,
                   S* lanes) const;

  // Complex spectra of `count` frames, n_bins values each, one after the other.
  template <class S>
  void spectra(const FrameSource<S>& source, Index first, Index count, std::complex<S>* bins) const;

  // The same for frames that lie ready, n_fft samples each, `stride` apart.
  template <class S>
  void spectra_of(const S* frames, Index stride, Index count, std::complex<S>* bins) const;

  // Inverse transform of one spectrum times the window; adds its samples [begin, end) to
  // out[0 .. end - begin).
  template <class S>
  void overlap_add(const std::complex<S>* bins, Index begin, Index end, S* out) const;

 private:
  template <class S>
  void spectrum(const S* samples, std::complex<T>* bins) const;

  std::shared_ptr<const RealFft<T>> fft_;
  Buffer<T> window_;
};

// The transform of this window, from a bounded cache.
template <class T>
std::shared_ptr<const FrameTransform<T>> frame_transform(Index n_fft,
                                                         std::span<const double> window);

}  // namespace metalmom::dsp
