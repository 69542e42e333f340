// The kernels for one type of lanes, for code that is a template of it.
#pragma once

#include <type_traits>

#include "dsp/simd/select.hpp"

namespace metalmom::dsp::simd {

template <class T>
const LaneKernels<T>& lane_kernels(const Kernels& kernels = simd::kernels()) {
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_lanes;
  else
    return kernels.double_lanes;
}

template <class T>
const MedianKernels<T>& median_kernels(const Kernels& kernels = simd::kernels()) {
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_medians;
  else
    return kernels.double_medians;
}

template <class T>
const ShapeKernels<T>& shape_kernels(const Kernels& kernels = simd::kernels()) {
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_shapes;
  else
    return kernels.double_shapes;
}

template <class T>
const ValueKernels<T>& value_kernels(const Kernels& kernels = simd::kernels()) {
  if constexpr (std::is_same_v<T, float>)
    return kernels.float_values;
  else
    return kernels.double_values;
}

}  // namespace metalmom::dsp::simd
