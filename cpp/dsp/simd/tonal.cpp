// Compiled once per instruction set, as kernels.cpp is.
#include "dsp/simd/tonal.hpp"

#include "dsp/simd/isa.hpp"
#include "dsp/simd/vocoder.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T>
constexpr VocoderKernels<T> vocoder_kernels() {
  return {polar<T>, turn, between<T>};
}

constexpr TonalKernels these_kernels = {vocoder_kernels<float>(), vocoder_kernels<double>()};

}  // namespace

template <>
const TonalKernels& tonal_of<this_isa>() {
  return these_kernels;
}

}  // namespace metalmom::dsp::simd
