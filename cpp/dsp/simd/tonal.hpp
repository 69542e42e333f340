// Kernels of phases, pitch and harmonics, as a table of functions (see kernels.hpp).
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::simd {

enum class Isa;

// Complex numbers of length `length` in the direction (re, im), apart in memory; rows have room for
// whole vectors of up to 8.
struct PolarRow {
  double *re, *im, *length;
};

template <class T>
struct VocoderKernels {
  // Of n pairs (re, im).
  void (*polar)(const T* pairs, Index n, PolarRow out);
  // phase *= to / from, all of length one.
  void (*turn)(PolarRow from, PolarRow to, Index n, PolarRow phase);
  // Pairs of the phase and the length a + (b - a) * weight.
  void (*between)(PolarRow phase, const double* a, const double* b, double weight, Index n, T* out);
};

struct TonalKernels {
  VocoderKernels<float> float_vocoder;
  VocoderKernels<double> double_vocoder;
};

template <Isa isa>
const TonalKernels& tonal_of();

}  // namespace metalmom::dsp::simd
