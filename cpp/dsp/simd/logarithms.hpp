// Logarithms of bands, as models of sound and speech read them: scale ln(max(x, least) + offset) +
// shift.
//
// Value by value. The rest of an array goes through the same arithmetic in a vector that ones fill
// up.
#pragma once

#include "dsp/simd/kernels.hpp"
#include "dsp/simd/log.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T>
void logarithms(const T* in, Index count, const LogScale& by, T* out) {
  constexpr int W = native_width<T>;
  using V = Vec<T, W>;
  const T least = T(by.least), offset = T(by.offset), shift = T(by.shift);
  const T scale =
      T(sizeof(T) == 4 ? by.scale * 2.302585092994046 : by.scale);  // of log10, or of ln
  const auto level_of = [=](V x) __attribute__((always_inline)) {
    const V raised = (x < least ? V{} + least : x) + offset;
    if constexpr (sizeof(T) == 4)
      return scale * log10_of<W>(raised) + shift;
    else
      return scale * log_of<W>(raised) + shift;
  };
  Index i = 0;
  for (; i + W <= count; i += W) store<T, W>(out + i, level_of(load<T, W>(in + i)));
  if (i == count) return;
  V rest = V{} + T(1);
  for (Index k = 0; i + k < count; ++k) rest[k] = in[i + k];
  rest = level_of(rest);
  for (Index k = 0; i + k < count; ++k) out[i + k] = rest[k];
}

}  // namespace
}  // namespace metalmom::dsp::simd
