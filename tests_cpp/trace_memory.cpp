// Recordings where memory is short: events are kept or counted, and nothing else happens.
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <thread>

#include "base/stage.hpp"
#include "base/workers.hpp"
#include "realtime_guard.hpp"
#include "trace_support.hpp"

#ifdef METALMOM_REALTIME_GUARD

namespace metalmom::trace {
namespace {

using test::NoMemory;

// How a child process ends that runs the body, which says whether all was well.
template <class F>
int status_of_child(F&& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body() ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(TraceMemory, WhatHasBegunIsWrittenWithoutMemory) {
  Recording recording(false);
  std::optional<NoMemory> none;
  std::thread([&] {
    const std::int64_t since = stamp();
    Span span(outer);
    none.emplace();
    { Span nested(inner); }
    event(inner);
    complete_since(outer, since);
  }).join();
  none.reset();
  const Snapshot s = recording.snapshot();
  EXPECT_EQ(count(s, "outer"), 2);
  EXPECT_EQ(count(s, "inner"), 2);
  EXPECT_EQ(s.dropped, 0u);
}

TEST(TraceMemory, WhatThereIsNoMemoryForIsCounted) {
  Recording recording(false);
  std::optional<NoMemory> none;
  std::thread([&] {
    none.emplace();
    {
      Span span(outer);
      span.arg("number", 1);
    }
    event(outer);
    counter(outer, 1);
    complete(outer, Track{}, {now_ns(), now_ns()});
    none.reset();
    Span span(inner);
  }).join();
  const Snapshot s = recording.snapshot();
  EXPECT_EQ(count(s, "outer"), 0);
  EXPECT_EQ(count(s, "inner"), 1);
  EXPECT_EQ(s.dropped, 4u);
}

void nest(int depth) {
  Span span(inner);
  if (depth > 1) nest(depth - 1);
}

TEST(TraceMemory, SpansTooDeepForTheirThreadAreCounted) {
  Recording recording(false);
  nest(70);
  const Snapshot s = recording.snapshot();
  EXPECT_EQ(count(s, "inner"), 64);
  EXPECT_EQ(s.dropped, 6u);
}

// A child's workers are new, and have no rings yet.
TEST(TraceMemory, WorkersGoOnWithoutRings) {
  const auto works = [] {
    const ThreadsScope scope(2);
    std::atomic<Index> done{0};
    Recording recording(true);
    {
      const NoMemory none(1 << 20);
      parallel_for(64, 1, [&](Index first, Index last) {
        const Stage stage(stage::bands);
        done += last - first;
      });
    }
    return done == 64 && recording.snapshot().dropped >= 8;
  };
  EXPECT_EQ(status_of_child(works), 0);
}

TEST(TraceMemory, ARecordingIsDroppedWithoutMemory) {
  {
    std::optional<NoMemory> none;  // gone after the recording
    Recording recording(true);
    { Span span(outer); }
    none.emplace();
  }
  EXPECT_FALSE(enabled);
  EXPECT_FALSE(detail_enabled);
}

TEST(TraceMemory, AProcessForksWithoutMemory) {
  Recording recording(false);
  { Span span(outer); }
  std::optional<NoMemory> none;
  none.emplace();
  const int status = status_of_child([] { return enabled.load(); });
  none.reset();
  EXPECT_EQ(status, 0);
}

TEST(TraceMemory, NamesThatCannotBeKeptAreOther) {
  const std::string name(100, 'x');
  std::optional<NoMemory> none;
  none.emplace();
  const char* const interned = intern(name);
  none.reset();
  EXPECT_STREQ(interned, "(other)");
  EXPECT_EQ(intern(name), name);
}

}  // namespace
}  // namespace metalmom::trace

#endif
