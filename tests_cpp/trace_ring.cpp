#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "trace/ring.hpp"

namespace metalmom::trace {
namespace {

void push_numbered(Ring& ring, std::uint64_t value) {
  ring.push(slot::header(Kind::span, Category::engine), value, value, value, value, value, value,
            value);
}

std::vector<std::uint64_t> values(const Ring& ring, Ring::Position from = {}) {
  std::vector<std::uint64_t> found;
  ring.read(from, [&](const Slot& s) { found.push_back(s.word[1]); });
  return found;
}

TEST(TraceRing, KeepsTheNewestAndCountsAll) {
  Ring ring(8);
  for (std::uint64_t i = 0; i < 20; ++i) push_numbered(ring, i);
  // The oldest of the eight is given up: its place is the one the writer fills next.
  EXPECT_EQ(values(ring), (std::vector<std::uint64_t>{13, 14, 15, 16, 17, 18, 19}));
  EXPECT_EQ(ring.position().events, 20u);
}

TEST(TraceRing, ReadsFromAPosition) {
  Ring ring(8);
  push_numbered(ring, 1);
  const auto middle = ring.position();
  push_numbered(ring, 2);
  EXPECT_EQ(values(ring, middle), std::vector<std::uint64_t>{2});
}

TEST(TraceRing, CompactingLosesNothing) {
  Ring ring(1024);
  for (std::uint64_t i = 0; i < 8; ++i) push_numbered(ring, i);
  const auto copy = ring.compacted();
  EXPECT_EQ(copy->capacity(), 16u);
  EXPECT_EQ(copy->id, ring.id);
  EXPECT_EQ(values(*copy), (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(TraceRing, HeaderHoldsItsFields) {
  const detail::PackedArg bytes{Arg("bytes", -7)}, share{Arg("share", 0.5)};
  const Slot s{{slot::header(Kind::point, Category::gpu, Track{4095}, 0xffffffff) |
                    slot::flag_starts | slot::count_bits(2),
                0, 0, 0, bytes.key, bytes.value, share.key, share.value}};
  EXPECT_EQ(slot::kind(s), Kind::point);
  EXPECT_EQ(slot::category(s), Category::gpu);
  EXPECT_EQ(slot::where(s), Track{4095});
  EXPECT_EQ(slot::flow(s), 0xffffffffu);
  EXPECT_TRUE(s.word[0] & slot::flag_starts);
  EXPECT_FALSE(s.word[0] & slot::flag_bounded);
  ASSERT_EQ(slot::arg_count(s), 2);
  EXPECT_STREQ(slot::get_arg(s, 0).key, "bytes");
  EXPECT_EQ(slot::get_arg(s, 0).integer, -7);
  EXPECT_EQ(slot::get_arg(s, 1).type, Arg::Type::real);
  EXPECT_EQ(slot::get_arg(s, 1).real, 0.5);
}

// A reader beside a writer that laps it sees whole slots only, in order.
TEST(TraceRing, ReaderNeverSeesATornSlot) {
  Ring ring(16);
  constexpr std::uint64_t last = 200'000;
  std::thread writer([&] {
    for (std::uint64_t i = 1; i <= last; ++i) push_numbered(ring, i);
  });
  std::uint64_t newest = 0;
  while (newest < last) {
    std::uint64_t previous = 0;
    ring.read({}, [&](const Slot& s) {
      for (int i = 2; i < 8; ++i) ASSERT_EQ(s.word[i], s.word[1]);
      ASSERT_GT(s.word[1], previous);
      previous = s.word[1];
    });
    newest = std::max(newest, previous);
  }
  writer.join();
}

}  // namespace
}  // namespace metalmom::trace
