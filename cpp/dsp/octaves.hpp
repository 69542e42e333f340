// The filters of a constant-Q transform, octave by octave (Schoerkhuber and Klapuri, "Constant-Q
// transform toolbox for music processing", 2010): every octave below the first is that of a signal
// at half the rate, where the same short filters reach an octave lower.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "dsp/bands.hpp"
#include "dsp/frames.hpp"

namespace metalmom::dsp {

// Complex filters over frames at one rate. They are applied to samples: a filter is as long as its
// frame, and a frame is short, so that one dense product costs less than a transform and the bands
// of its spectrum.
//   analysis:  (2 n_bins, n_fft), rows of real and imaginary parts in turn; in pieces, one after
//   the
//              other in the frame, whose sums are added
//   synthesis: (n_fft, 2 n_bins), columns of what a bin's real and imaginary part add to a frame
struct Octave {
  Index halvings;    // halvings of the rate before this octave
  Index hop_length;  // at this octave's rate
  Index first_bin;   // of the whole transform
  std::vector<std::shared_ptr<const Basis>> filters;
};

struct OctaveBank {
  std::vector<Octave> octaves;
  Index n_bins = 0;
  bool synthesis = false;

  Index n_fft(const Octave& octave) const;
  Index bins_of(const Octave& octave) const {
    const Basis& first = *octave.filters.front();
    return (synthesis ? first.n_bins() : first.n_bands()) / 2;
  }
  // Values of scratch memory that a block of frames needs, for any octave.
  Index work_size() const;
};

// Frames first .. first + count - 1 (count <= 16) times the filters of an octave; frame i's bins go
// to out + i * stride. `work`: bank.work_size() values, aligned to 64 bytes.
template <class T>
void analyse_block(const OctaveBank& bank, const Octave& octave, const FrameSource<T>& source,
                   Index first, Index count, T* work, std::complex<T>* out, Index stride);

// The inverse of `count` <= 16 columns of bins, `stride` apart. Frame i begins at sample at + i *
// hop_length; what lies in [0, length) is added to `y`.
template <class T>
void synthesise_block(const OctaveBank& bank, const Octave& octave, const std::complex<T>* bins,
                      Index stride, Index count, Index at, Index length, T* work, T* y);

}  // namespace metalmom::dsp
