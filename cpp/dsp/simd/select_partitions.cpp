#include <string_view>

#include "dsp/simd/partitions.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::dsp::simd {

namespace {

const PartitionTables& tables() {
  [[maybe_unused]] const std::string_view set = kernels().compiled_for;
#if defined(__x86_64__) && !defined(METALMOM_BASELINE_ALONE)
  if (set == "avx512") return partitions_of<Isa::avx512>();
  if (set == "avx2") return partitions_of<Isa::avx2>();
#endif
  return partitions_of<Isa::baseline>();
}

}  // namespace

template <>
const PartitionKernels<float>& partition_kernels() {
  return tables().of_float;
}
template <>
const PartitionKernels<double>& partition_kernels() {
  return tables().of_double;
}

}  // namespace metalmom::dsp::simd
