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

}  // namespace metalmom::dsp::simd
