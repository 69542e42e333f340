// The instruction-count test of a block's report: Callgrind counts turns with and without a block.
#include <gtest/gtest.h>

#include <string>

#include "counted_instructions.hpp"
#include "stream/turns.hpp"

namespace metalmom::stream {
namespace {

constexpr int repeats = 100'000;

}  // namespace

// Names that Callgrind can be told to look at.
extern "C" {
[[gnu::noinline, gnu::visibility("default")]] void cost_loop_turns(Turns& turns) {
  for (int i = 0; i < repeats; ++i) {
    const auto turn = turns.take();
    turns.change();
    turns.done();
  }
}
[[gnu::noinline, gnu::visibility("default")]] void cost_loop_blocks(Turns& turns) {
  for (int i = 0; i < repeats; ++i) {
    const auto turn = turns.take();
    turns.change();
    turns.done_block(441, false);
  }
}
}

namespace {

// The child's part.
TEST(StreamCost, Loop) {
  const std::string loop = test::loop_to_run();
  if (loop.empty()) GTEST_SKIP() << "run by the next test, under Callgrind";
  Turns turns;
  turns.meter().set_budget(44100, 0);
  if (loop == "turns") cost_loop_turns(turns);
  if (loop == "blocks") cost_loop_blocks(turns);
}

double instructions(const std::string& loop) {
  return test::instructions(loop, "StreamCost.Loop") / repeats;
}

// Two of them read the clock, for 10 ns each; of the others three or four take a nanosecond.
TEST(StreamCost, AReportOfABlockIsFewInstructions) {
  if (const auto why = test::why_uncounted(); !why.empty()) GTEST_SKIP() << why;
  const double turns = instructions("turns");
  if (turns <= 0) GTEST_SKIP() << "valgrind cannot run this binary";
  const double blocks = instructions("blocks");
  // Of GCC 12 they are 28 and 60, the call of a probe with them; other compilers have some room.
  EXPECT_LE(turns, 40);
  EXPECT_LE(blocks - turns, 70);
  RecordProperty("instructions", std::to_string(blocks - turns));
}

}  // namespace
}  // namespace metalmom::stream
