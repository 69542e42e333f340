// Compiled once per instruction set, as kernels.cpp is.
#include "dsp/simd/tonal.hpp"

#include "dsp/simd/burg.hpp"
#include "dsp/simd/companding.hpp"
#include "dsp/simd/harmonics.hpp"
#include "dsp/simd/isa.hpp"
#include "dsp/simd/line_filter.hpp"
#include "dsp/simd/nonnegative.hpp"
#include "dsp/simd/periods.hpp"
#include "dsp/simd/reassign.hpp"
#include "dsp/simd/sections.hpp"
#include "dsp/simd/vocoder.hpp"

namespace metalmom::dsp::simd {
namespace {

template <class T>
constexpr VocoderKernels<T> vocoder_kernels() {
  return {polar<T>, advance<T>};
}

template <class T>
constexpr HarmonicKernels<T> harmonic_kernels() {
  return {reassign<T>, rows_between<T>, sum_between<T>};
}

template <class T>
constexpr CompandingKernels<T> companding_kernels() {
  return {mu_compress<T>, mu_quantize<T>, mu_expand<T>};
}

constexpr TonalKernels these_kernels = {
    .float_vocoder = vocoder_kernels<float>(),
    .double_vocoder = vocoder_kernels<double>(),
    .nonnegative = {least_squares_gradient, projected_maxima, projected_step, extrapolate},
    .float_periods = {normalized_differences<float>, choose_troughs<float>},
    .double_periods = {normalized_differences<double>, choose_troughs<double>},
    .float_harmonics = harmonic_kernels<float>(),
    .double_harmonics = harmonic_kernels<double>(),
    .float_companding = companding_kernels<float>(),
    .double_companding = companding_kernels<double>(),
    .float_burg = {dot<float>, reflect<float>},
    .double_burg = {dot<double>, reflect<double>},
    .sections = {sections_forward, sections_backward, add_squares},
    .float_scatter = {scatter_lines<float>},
    .double_scatter = {scatter_lines<double>}};

}  // namespace

template <>
const TonalKernels& tonal_of<this_isa>() {
  return these_kernels;
}

}  // namespace metalmom::dsp::simd
