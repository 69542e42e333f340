#include "io/resample.hpp"

#include "base/workers.hpp"
#include "io/sites.hpp"

namespace metalmom::io {

template <class T>
Index resample(View<const T> in, double from_rate, double to_rate, dsp::Quality quality,
               View<T> out) {
  trace::Span span(sites::resample);
  span.arg("samples", in.cols);
  span.arg("channels", in.batch);
  span.arg("rate", to_rate);
  Index length = 0;
  parallel_for(in.batch, 1, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      const Index made = dsp::resample_signal(in.row(row), in.cols, from_rate, to_rate, quality,
                                              out.row(row), out.cols);
      if (row == 0) length = made;
    }
  });
  return length;
}

template Index resample(View<const float>, double, double, dsp::Quality, View<float>);
template Index resample(View<const double>, double, double, dsp::Quality, View<double>);

}  // namespace metalmom::io
