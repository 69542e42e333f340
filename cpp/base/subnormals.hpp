// Subnormal numbers: those below the smallest normal one, 1.2e-38 of float and 2.2e-308 of double.
// A processor computes with them in microcode, so that the end of a fade-out would take ten to
// fifty times as long as what comes before it. The engine reads and writes them as zero.
//
// The bits are in MXCSR of x86 (FTZ and DAZ: Intel's manual, vol. 1, 10.2.3) and in FPCR of aarch64
// (FZ: Arm's ARM, C5.2.8). On other processors nothing is done.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace metalmom {

namespace detail {

// How this thread computes with floating-point numbers.
#if defined(__x86_64__)
using FloatControl = std::uint32_t;
inline constexpr FloatControl flush_bits = 0x8040;
inline FloatControl float_control() {
  return _mm_getcsr();
}
inline void set_float_control(FloatControl control) {
  _mm_setcsr(control);
}
#elif defined(__aarch64__)
using FloatControl = std::uint64_t;
inline constexpr FloatControl flush_bits = FloatControl{1} << 24;
inline FloatControl float_control() {
  FloatControl control;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
inline void set_float_control(FloatControl control) {
  asm volatile("msr fpcr, %0" ::"r"(control) : "memory");
}
#else
using FloatControl = std::uint32_t;
inline constexpr FloatControl flush_bits = 0;
inline FloatControl float_control() {
  return 0;
}
inline void set_float_control(FloatControl) {}
#endif

// Sets the control for a scope, and then sets what was before: its flags of exceptions, too.
template <bool flush>
class SubnormalsScope {
 public:
  SubnormalsScope() : before_(float_control()) {
    const FloatControl wanted = flush ? before_ | flush_bits : before_ & ~flush_bits;
    if (wanted != before_) set_float_control(wanted);
  }
  ~SubnormalsScope() { set_float_control(before_); }
  SubnormalsScope(const SubnormalsScope&) = delete;

 private:
  const FloatControl before_;
};

}  // namespace detail

// For work of the engine on this thread.
using SubnormalsFlushed = detail::SubnormalsScope<true>;

// For what the engine calls that is not its own: Python's code.
using SubnormalsKept = detail::SubnormalsScope<false>;

}  // namespace metalmom
