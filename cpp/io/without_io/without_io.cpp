// What the layer answers in a build without libsndfile and libsoxr (METALMOM_IO=OFF).
#include "base/error.hpp"
#include "io/decoder.hpp"
#include "io/resampler.hpp"

namespace metalmom::io {

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw AudioError(what + ": this metalmom was built without audio input (METALMOM_IO=OFF)");
}

}  // namespace

std::unique_ptr<Decoder> open_decoder(std::unique_ptr<Source>, const std::string& name,
                                      SampleType) {
  fail(name + " cannot be decoded");
}

void DeleteResampler::operator()(void*) const {}

template <class T>
Resampler<T>::Resampler(double, double, Quality) {
  fail("cannot resample");
}

template <class T>
auto Resampler<T>::process(const T*, Index, T*, Index) -> Progress {
  return {};
}

template <class T>
Index Resampler<T>::flush(T*, Index) {
  return 0;
}

template <class T>
Index resample(View<const T>, double, double, Quality, View<T>) {
  fail("cannot resample");
}

template class Resampler<float>;
template class Resampler<double>;
template Index resample(View<const float>, double, double, Quality, View<float>);
template Index resample(View<const double>, double, double, Quality, View<double>);

}  // namespace metalmom::io
