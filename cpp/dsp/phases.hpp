// Phases of magnitude spectrograms, for the Griffin-Lim iteration.
#pragma once

#include <complex>

#include "base/index.hpp"

namespace metalmom::dsp {

// estimate = S * unit(rebuilt - factor * previous), without underflow of small magnitudes; where
// those are zero the estimate is, too.
template <class T>
void update_phases(const T* S, const std::complex<T>* rebuilt, const std::complex<T>* previous,
                   T factor, Index count, std::complex<T>* estimate);

// out = S * exp(2 pi i turns) for turns in [0, 1], within 2 ulp of T.
template <class T>
void phasors(const double* turns, const T* S, Index count, std::complex<T>* out);

}  // namespace metalmom::dsp
