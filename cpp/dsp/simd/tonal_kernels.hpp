// The kernels of phases, pitch and harmonics for one type, for code that is a template of it.
#pragma once

#include <type_traits>

#include "dsp/simd/select.hpp"

namespace metalmom::dsp::simd {

template <class T>
const VocoderKernels<T>& vocoder_kernels() {
  const TonalKernels& kernels = simd::kernels().tonal();
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_vocoder;
  else
    return kernels.double_vocoder;
}

template <class T>
const PeriodKernels<T>& period_kernels() {
  const TonalKernels& kernels = simd::kernels().tonal();
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_periods;
  else
    return kernels.double_periods;
}

template <class T>
const HarmonicKernels<T>& harmonic_kernels() {
  const TonalKernels& kernels = simd::kernels().tonal();
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_harmonics;
  else
    return kernels.double_harmonics;
}

template <class T>
const CompandingKernels<T>& companding_kernels() {
  const TonalKernels& kernels = simd::kernels().tonal();
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_companding;
  else
    return kernels.double_companding;
}

template <class T>
const BurgKernels<T>& burg_kernels() {
  const TonalKernels& kernels = simd::kernels().tonal();
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_burg;
  else
    return kernels.double_burg;
}

}  // namespace metalmom::dsp::simd
