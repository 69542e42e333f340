// Batches of signals at another rate, on the engine's threads.
#pragma once

#include "base/view.hpp"
#include "dsp/rate/resampler.hpp"

namespace metalmom::io {

// Every row of `in`; rows of `out` that are longer than the result end in zeros. Rows are shared
// among threads. Returns the number of samples that libsoxr gave for a row.
template <class T>
Index resample(View<const T> in, double from_rate, double to_rate, dsp::Quality quality,
               View<T> out);

}  // namespace metalmom::io
