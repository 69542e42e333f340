// Spectra at other times than they were taken at (Flanagan and Golden 1966, "Phase vocoder").
#pragma once

#include <complex>
#include <span>

#include "base/view.hpp"

namespace metalmom::dsp {

// Doubles that `phase_vocoder` needs for `count` bins.
Index phase_vocoder_scratch(Index count);

// Bins [first, first + count) of the spectra (frames, bins) at `times`, in frames within
// [0, frames). The first phase is that of the frame before times[0]; from one time to the next it
// advances by what it gains from the frame before the former to the one after. Magnitudes lie on
// the line between neighbours (beyond the last frame on the line through the last two), or are
// given, (times, bins). `scratch`: phase_vocoder_scratch(count), aligned to 64 bytes.
template <class T>
void phase_vocoder(View<const std::complex<T>> spectra, Index b, std::span<const double> times,
                   View<const double> magnitudes, Index first, Index count,
                   View<std::complex<T>> out, double* scratch);

}  // namespace metalmom::dsp
