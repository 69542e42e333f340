// Which instruction set this copy of a kernel source is compiled for, from the compiler's macros.
// `baseline` is what the compiler emits unasked: SSE2 on x86-64, NEON on aarch64; vectors of 16
// bytes.
#pragma once

namespace metalmom::dsp::simd {

enum class Isa { avx512, avx2, baseline };

namespace {

#if defined(__AVX512F__)
constexpr Isa this_isa = Isa::avx512;
constexpr const char* this_name = "avx512";
#elif defined(__AVX2__)
constexpr Isa this_isa = Isa::avx2;
constexpr const char* this_name = "avx2";
#else
constexpr Isa this_isa = Isa::baseline;
constexpr const char* this_name = "baseline";
#endif

}  // namespace
}  // namespace metalmom::dsp::simd
