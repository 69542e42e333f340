// What resampling answers in a build without libsoxr (METALMOM_IO=OFF).
#include "base/error.hpp"
#include "dsp/rate/resampler.hpp"

namespace metalmom::dsp {

void DeleteResampler::operator()(void*) const {}

template <class T>
Resampler<T>::Resampler(double, double, Quality, T) : scale_(1) {
  throw AudioError(
      "cannot resample: this metalmom was built without audio input (METALMOM_IO=OFF)");
}

template <class T>
T scale_of(const T*, Index, Quality) {
  return 1;
}

template float scale_of(const float*, Index, Quality);
template double scale_of(const double*, Index, Quality);

template <class T>
auto Resampler<T>::process(const T*, Index, T*, Index) -> Progress {
  return {};
}

template <class T>
Index Resampler<T>::flush(T*, Index) {
  return 0;
}

template <class T>
auto Resampler<T>::step(const T*, Index, T*, Index) -> Progress {
  return {};
}

template <class T>
Index resample_signal(const T*, Index, double from_rate, double to_rate, Quality quality, T*,
                      Index) {
  Resampler<T>(from_rate, to_rate, quality);
  return 0;
}

template class Resampler<float>;
template class Resampler<double>;
template Index resample_signal(const float*, Index, double, double, Quality, float*, Index);
template Index resample_signal(const double*, Index, double, double, Quality, double*, Index);

}  // namespace metalmom::dsp
