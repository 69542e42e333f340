// Which instruction set's kernels run: the best of this processor, or the one that METALMOM_SIMD
// names.
#pragma once

#include <string_view>
#include <vector>

#include "dsp/simd/kernels.hpp"

namespace metalmom::dsp::simd {

// Sets that were compiled in and that this processor has, best first: "avx512", "avx2",
// "baseline".
std::vector<std::string_view> available();

// The kernels in use. Throws ParameterError on the first call if METALMOM_SIMD names a set that is
// not available.
const Kernels& kernels();

// Uses another available set from now on, for tests; transforms that exist keep theirs.
void select(std::string_view name);

}  // namespace metalmom::dsp::simd
