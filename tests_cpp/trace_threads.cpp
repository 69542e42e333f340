// Recordings beside threads that write, end, overflow their rings, and fork.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "trace/registry.hpp"
#include "trace_support.hpp"

namespace metalmom::trace {
namespace {

TEST(TraceThreads, EndedThreadsLoseNothing) {
  Recording recording(false);
  for (int t = 0; t < 20; ++t) {
    std::thread([] {
      name_thread("short-lived");
      for (int i = 0; i < 10; ++i) Span span(inner);
    }).join();
  }
  const Snapshot s = recording.snapshot();
  EXPECT_EQ(count(s, "inner"), 200);
  EXPECT_EQ(s.rows.size(), 20u);
  EXPECT_EQ(s.rows[0].name, "short-lived");
}

// Exports beside threads that write, start and end: every event is whole and there once, what a
// thread wrote is there from its first event on, and none is said to be dropped.
TEST(TraceThreads, SnapshotsBesideWritersAreWhole) {
  Recording recording(true);
  std::atomic<bool> stop{false};
  const auto write = [](std::int64_t i) {
    Span span(inner);
    for (int k = 0; k < 5; ++k) span.arg("number", i);
  };
  std::thread steady([&] {
    name_thread("steady");
    for (std::int64_t i = 0; i < 50'000; ++i) write(i);  // fits its ring
    stop = true;
  });
  std::thread starter([&] {
    while (!stop) std::thread([&] { write(-1); }).join();
  });
  std::size_t seen = 0;
  for (bool last = false; !last;) {
    last = stop;
    Recording nested(false);
    const Snapshot s = recording.snapshot();
    std::int64_t next = 0;
    for (const Event& e : s.events) {
      const auto args = s.args_of(e);
      ASSERT_EQ(args.size(), 5u);
      for (const Arg& arg : args) ASSERT_EQ(arg.integer, args[0].integer);
      if (s.rows[e.row].name == "steady") {
        ASSERT_EQ(args[0].integer, next++);
      }
    }
    if (last) {
      EXPECT_EQ(next, 50'000);
    }
    EXPECT_EQ(s.dropped, 0u);
    ASSERT_GE(s.events.size(), seen);
    seen = s.events.size();
  }
  steady.join();
  starter.join();
}

TEST(TraceThreads, MayBeClosedWhileItIsRead) {
  Recording recording(false);
  { Span span(inner); }
  std::thread reader([&] {
    for (int i = 0; i < 50; ++i) EXPECT_EQ(count(recording.snapshot(), "inner"), 1);
  });
  recording.close();
  reader.join();
}

TEST(TraceThreads, FullRingsCountWhatTheyDrop) {
  set_ring_capacity(64);
  Recording recording(false);
  std::thread([] {
    for (int i = 0; i < 1000; ++i) Span span(inner);
  }).join();
  set_ring_capacity(default_ring_capacity);
  const Snapshot s = recording.snapshot();
  EXPECT_EQ(s.events.size() + s.dropped, 1000u);
  EXPECT_EQ(s.events.size(), 64u);
}

TEST(TraceThreads, ForkedChildRecordsItsOwnAndParentGoesOn) {
  Recording recording(false);
  { Span span(outer); }
  Span open(outer);
  const pid_t child = fork();
  if (child == 0) {
    { Span span(inner); }
    const Snapshot mine = recording.snapshot();
    _exit(count(mine, "inner") == 1 && count(mine, "outer") == 0 ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  { Span span(inner); }
  const Snapshot s = recording.snapshot();
  EXPECT_EQ(count(s, "outer"), 1);
  EXPECT_EQ(count(s, "inner"), 1);
}

}  // namespace
}  // namespace metalmom::trace
