// What the chosen FFT library provides: fft_fftw.cpp or fft_own.cpp, one of them is compiled.
#pragma once

#include "dsp/fft.hpp"

namespace metalmom::dsp {

// A new plan; sizes from 1.
template <class T>
std::shared_ptr<const RealFft<T>> make_library_fft(Index size);

}  // namespace metalmom::dsp
