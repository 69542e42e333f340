#include "base/workspace.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "base/buffer.hpp"
#include "base/memory_limits.hpp"

namespace metalmom {

namespace {

std::uint64_t allocations_of(auto&& body) {
  const std::uint64_t before = counters().allocations;
  body();
  return counters().allocations - before;
}

TEST(Workspace, IsAlignedAndApart) {
  const Lent<float> a(3);
  const Lent<double> b(5);
  const Lent<char> c(1);
  const auto place = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  EXPECT_EQ(place(a.data()) % alignment, 0U);
  EXPECT_EQ(place(b.data()) % alignment, 0U);
  EXPECT_GE(place(b.data()), place(a.data()) + 3 * sizeof(float));
  EXPECT_GE(place(c.data()), place(b.data()) + 5 * sizeof(double));
}

TEST(Workspace, SteadyLoopsAllocateNothing) {
  release_workspaces();
  const auto loop = [] {
    const Lent<float> outer(1000);
    for (int i = 0; i < 50; ++i) {
      const Lent<float> inner(1 << 20);  // beyond the first chunk
      const Lent<float> more(1 << 19);
      inner[0] = more[0] = 1;
    }
  };
  EXPECT_LE(allocations_of(loop), 5U);  // four chunks, and the one that replaces them
  EXPECT_EQ(allocations_of(loop), 0U);
}

TEST(Workspace, GrowingNeedsKeepWhatTheLargestTook) {
  release_workspaces();
  std::size_t n = 1 << 18;
  const auto needs_more = [&n] {
    const Lent<char> small(1000);
    const Lent<char> large(static_cast<Index>(n));
  };
  for (; n < std::size_t{1} << 24; n += n / 2) {
    needs_more();
    EXPECT_LE(kept_workspace_bytes(), n + n / 4 + (std::size_t{1} << 18));
  }
}

TEST(Workspace, ScopesGiveBackWhatTheyTook) {
  const Lent<int> outer(16);
  int* first = nullptr;
  {
    const Lent<int> inner(16);
    first = inner.data();
  }
  const Lent<int> again(16);
  EXPECT_EQ(again.data(), first);
}

TEST(Workspace, ThreadsDoNotShareMemory) {
  const Lent<int> mine(1 << 10);
  int* theirs = nullptr;
  std::thread([&] {
    const Lent<int> lent(1 << 10);
    theirs = lent.data();
  }).join();
  EXPECT_NE(mine.data(), theirs);
}

TEST(Workspace, KeepsABoundedAmountAndGivesItBack) {
  release_workspaces();
  EXPECT_EQ(kept_workspace_bytes(), 0U);
  { const Lent<char> small(1000); }
  EXPECT_GT(kept_workspace_bytes(), 0U);
  { const Lent<char> large(static_cast<Index>(default_kept_bytes) + 1); }
  EXPECT_LE(kept_workspace_bytes(), default_kept_bytes);
  { const Lent<char> small(1000); }
  const std::size_t kept = kept_workspace_bytes();
  EXPECT_EQ(release_workspaces(), kept);
  EXPECT_EQ(kept_workspace_bytes(), 0U);
}

}  // namespace

}  // namespace metalmom
