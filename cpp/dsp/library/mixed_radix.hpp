// Fourier transforms of any size without a library: mixed radix for factors up to 13, Bluestein's
// algorithm for the rest. For builds that cannot contain FFTW, and tested beside it in all others.
#pragma once

#include <memory>

#include "dsp/fft.hpp"

namespace metalmom::dsp {

// A new plan; sizes from 1.
template <class T>
std::shared_ptr<const RealFft<T>> make_mixed_radix_fft(Index size);

}  // namespace metalmom::dsp
