// Tables of the kernels' transforms.
#pragma once

#include <memory>

#include "base/buffer.hpp"
#include "dsp/simd/kernels.hpp"

namespace metalmom::dsp::simd {

// The kernels of size n_fft for signals of type S, or those without functions.
template <class T, class S>
FrameKernels<T, S> frame_kernels(const Kernels& kernels, Index n_fft);

// The constants of fft_plan(points, width), from a bounded cache.
template <class T>
std::shared_ptr<const Buffer<T>> fft_table(Index points, int width);

}  // namespace metalmom::dsp::simd
