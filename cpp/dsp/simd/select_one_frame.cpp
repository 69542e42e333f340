#include <string_view>

#include "dsp/simd/one_frame.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::dsp::simd {

namespace {

const OneFrameTables& tables() {
  [[maybe_unused]] const std::string_view set = kernels().compiled_for;
#if defined(__x86_64__) && !defined(METALMOM_BASELINE_ALONE)
  if (set == "avx512") return one_frame_of<Isa::avx512>();
  if (set == "avx2") return one_frame_of<Isa::avx2>();
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
