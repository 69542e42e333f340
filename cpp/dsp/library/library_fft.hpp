// What transforms the sizes that have no kernels: library_fftw.cpp or library_own.cpp, one of which
// is compiled.
#pragma once

#include "dsp/fft.hpp"

namespace metalmom::dsp {

// A new plan; sizes from 1.
template <class T>
std::shared_ptr<const RealFft<T>> make_library_fft(Index size);

}  // namespace metalmom::dsp
