// No library: METALMOM_FFT=own, a build without GPL code.
#include "dsp/library/library_fft.hpp"
#include "dsp/library/mixed_radix.hpp"

namespace metalmom::dsp {

template <class T>
std::shared_ptr<const RealFft<T>> make_library_fft(Index size) {
  return make_mixed_radix_fft<T>(size);
}

template std::shared_ptr<const RealFft<float>> make_library_fft(Index);
template std::shared_ptr<const RealFft<double>> make_library_fft(Index);

std::string_view fft_library() {
  return "own";
}

}  // namespace metalmom::dsp
