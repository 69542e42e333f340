#include "base/subnormals.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/workers.hpp"

namespace metalmom {
namespace {

float subnormal() {
  volatile float a = 1e-30f, b = 1e-10f;
  return a * b;
}

bool reads_subnormals() {
  volatile float a = 1e-40f, b = 1e10f;
  return a * b != 0;
}

bool flushes() {
  return detail::flush_bits != 0;
}

TEST(Subnormals, AreZeroWithinAScopeAlone) {
  const auto before = detail::float_control();
  {
    const SubnormalsFlushed arithmetic;
    EXPECT_EQ(subnormal() == 0, flushes());
    EXPECT_EQ(reads_subnormals(), !flushes());
    {
      const SubnormalsKept of_a_guest;
      EXPECT_NE(subnormal(), 0);
      EXPECT_TRUE(reads_subnormals());
    }
    EXPECT_EQ(subnormal() == 0, flushes());
  }
  EXPECT_EQ(detail::float_control(), before);
  EXPECT_NE(subnormal(), 0);
}

TEST(Subnormals, TheControlIsAsBeforeAfterAnException) {
  const auto before = detail::float_control();
  const auto throwing = [] {
    const SubnormalsFlushed arithmetic;
    throw std::runtime_error("thrown");
  };
  EXPECT_THROW(throwing(), std::runtime_error);
  EXPECT_EQ(detail::float_control(), before);
}

#if defined(__x86_64__)
// Rounding upward, division by zero not masked, and a flag that is set.
TEST(Subnormals, AllElseOfTheControlIsTheCallers) {
  const auto before = detail::float_control();
  constexpr detail::FloatControl own = 0x4000 | 0x1d80 | 0x0001;
  detail::set_float_control(own);
  {
    const SubnormalsFlushed arithmetic;
    volatile float inexact = 1.0f / 3.0f;
    (void)inexact;
    EXPECT_EQ(detail::float_control() & ~0x3fu, (own | detail::flush_bits) & ~0x3fu);
  }
  EXPECT_EQ(detail::float_control(), own);
  detail::set_float_control(before);
}
#endif

TEST(Subnormals, WorkersOfThePoolFlushThem) {
  const ThreadsScope two(2);
  const SubnormalsFlushed arithmetic;
  const auto caller = std::this_thread::get_id();
  std::atomic<int> kept{0};
  std::atomic<bool> helped{false};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  parallel_for(8, 1, [&](Index, Index) {
    if (subnormal() != 0) ++kept;
    if (std::this_thread::get_id() != caller) helped = true;
    while (!helped && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  });
  EXPECT_TRUE(helped);
  EXPECT_EQ(kept > 0, !flushes());
}

}  // namespace
}  // namespace metalmom
