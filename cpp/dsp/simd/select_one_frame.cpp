#include "dsp/simd/one_frame.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::dsp::simd {

namespace {

// Asked for each frame, so sets are told apart by their addresses and not by their names.
const OneFrameTables& tables() {
#if defined(__x86_64__) && !defined(METALMOM_BASELINE_ALONE)
  const Kernels* const set = &kernels();
  if (set == &kernels_of<Isa::avx512>()) return one_frame_of<Isa::avx512>();
  if (set == &kernels_of<Isa::avx2>()) return one_frame_of<Isa::avx2>();
#endif
  return one_frame_of<Isa::baseline>();
}

}  // namespace

template <>
const OneFrameKernels<float>& one_frame_kernels() {
  return tables().of_float;
}
template <>
const OneFrameKernels<double>& one_frame_kernels() {
  return tables().of_double;
}

}  // namespace metalmom::dsp::simd
