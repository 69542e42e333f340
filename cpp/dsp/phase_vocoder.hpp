// Spectra at other times than they were taken at (Flanagan and Golden 1966, "Phase vocoder").
#pragma once

#include <complex>
#include <span>

#include "base/view.hpp"

namespace metalmom::dsp {

// The number of doubles in the scratch memory of `phase_vocoder` for `count` bins.
Index phase_vocoder_scratch(Index count);

// Writes bins [first, first + count) of the spectra (frames, bins) at `times`, given in frames
// within [0, frames). The first phase is that of the frame before times[0]. From each time to the
// next the phase advances by the difference between the two frames around the former. Magnitudes
// are interpolated linearly between these frames (extrapolated after the last one), or are given,
// (times, bins). `scratch`: phase_vocoder_scratch(count) values, aligned to 64 bytes.
template <class T>
void phase_vocoder(View<const std::complex<T>> spectra, Index b, std::span<const double> times,
                   View<const double> magnitudes, Index first, Index count,
                   View<std::complex<T>> out, double* scratch);

}  // namespace metalmom::dsp
