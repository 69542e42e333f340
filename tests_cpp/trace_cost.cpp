// The instruction-count test of a span that is off: Callgrind counts the loops below, with and
// without spans.
#include <gtest/gtest.h>

#include <string>

#include "base/stage.hpp"
#include "counted_instructions.hpp"
#include "trace/trace.hpp"

namespace metalmom::trace {
namespace {

constexpr int repeats = 100'000;
constexpr Site site{"cost", Category::engine};

[[gnu::noinline]] void work(int i) {
  asm volatile("" ::"r"(i) : "memory");
}

}  // namespace

// Names that Callgrind can be told to look at.
extern "C" {
[[gnu::noinline, gnu::visibility("default")]] void cost_loop_plain() {
  for (int i = 0; i < repeats; ++i) work(i);
}
[[gnu::noinline, gnu::visibility("default")]] void cost_loop_spans() {
  for (int i = 0; i < repeats; ++i) {
    Span span(site);
    work(i);
  }
}
[[gnu::noinline, gnu::visibility("default")]] void cost_loop_stages() {
  for (int i = 0; i < repeats; ++i) {
    Stage stage(stage::bands);
    work(i);
  }
}
}

namespace {

// The child's part.
TEST(TraceCost, Loop) {
  const std::string loop = test::loop_to_run();
  if (loop.empty()) GTEST_SKIP() << "run by TraceCost.DisabledSpan under Callgrind";
  if (loop == "plain") cost_loop_plain();
  if (loop == "spans") cost_loop_spans();
  if (loop == "stages") cost_loop_stages();
}

double instructions(const std::string& loop) {
  return test::instructions(loop, "TraceCost.Loop") / repeats;
}

TEST(TraceCost, DisabledSpanIsThreeInstructions) {
  if (const auto why = test::why_uncounted(); !why.empty()) GTEST_SKIP() << why;
  const double plain = instructions("plain");
  if (plain <= 0) GTEST_SKIP() << "valgrind cannot run this binary";
  const double spans = instructions("spans"), stages = instructions("stages");
  ASSERT_GT(spans, plain);
  ASSERT_GT(stages, plain);
  // Half an instruction a loop is room for its prologue and for how the compiler counts.
  EXPECT_LE(spans - plain, 3.5);
  EXPECT_LE(stages - plain, 3.5);
  RecordProperty("instructions", std::to_string(spans - plain));
}

}  // namespace
}  // namespace metalmom::trace
