#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/stage.hpp"
#include "base/workers.hpp"
#include "trace_support.hpp"

namespace metalmom::trace {
namespace {

constexpr Site kernel{"kernel", Category::gpu};

TEST(TraceRecording, NothingIsWrittenWhileNobodyRecords) {
  {
    Span span(outer);
    EXPECT_FALSE(span.on());
  }
  Recording recording(false);
  EXPECT_TRUE(recording.snapshot().events.empty());
}

TEST(TraceRecording, SpansNestAndKeepTheirArguments) {
  Recording recording(false);
  {
    Span a(outer);
    a.arg("bytes", 12);
    for (int i = 0; i < 3; ++i) {
      Span b(inner);
      b.arg("frames", i);
      b.arg("share", 0.25);
      b.arg("backend", "cpu");
      b.arg("hits", std::size_t{7});
      b.arg("misses", 0u);
      b.arg("reason", "small");
    }
  }
  const Snapshot s = recording.snapshot();
  ASSERT_EQ(s.events.size(), 4u);
  EXPECT_STREQ(s.events[0].name, "outer");
  EXPECT_EQ(s.events[0].depth, 0);
  for (int i = 1; i < 4; ++i) {
    const Event& e = s.events[i];
    EXPECT_EQ(e.depth, 1);
    EXPECT_GE(e.begin_ns, s.events[0].begin_ns);
    EXPECT_LE(e.end_ns, s.events[0].end_ns);
    const auto args = s.args_of(e);
    ASSERT_EQ(args.size(), 6u);
    EXPECT_EQ(args[0].integer, i - 1);
    EXPECT_EQ(args[1].real, 0.25);
    EXPECT_STREQ(args[2].text, "cpu");
    EXPECT_EQ(args[3].integer, 7);
    EXPECT_STREQ(args[5].key, "reason");
    EXPECT_STREQ(args[5].text, "small");
  }
}

// Two arguments lie in an event's own slot and three in each slot before it.
TEST(TraceRecording, EveryNumberOfArgumentsSurvives) {
  Recording recording(false);
  for (int n_args = 0; n_args <= max_args + 1; ++n_args) {
    Span span(inner);
    for (int i = 0; i < n_args; ++i) span.arg("index", i);
  }
  const std::vector<Arg> many(max_args + 1, Arg("text", "same"));
  detail::point(outer, many, no_flow);
  const Snapshot s = recording.snapshot();
  ASSERT_EQ(s.events.size(), max_args + 3u);
  for (int n_args = 0; n_args <= max_args + 1; ++n_args) {
    const auto args = s.args_of(s.events[static_cast<std::size_t>(n_args)]);
    ASSERT_EQ(args.size(), static_cast<std::size_t>(std::min(n_args, max_args)));
    for (std::size_t i = 0; i < args.size(); ++i)
      EXPECT_EQ(args[i].integer, static_cast<std::int64_t>(i));
  }
  const auto of_point = s.args_of(*find(s, "outer"));
  ASSERT_EQ(of_point.size(), static_cast<std::size_t>(max_args));
  EXPECT_STREQ(of_point.back().text, "same");
}

TEST(TraceRecording, TimesAgreeWithTheClock) {
  Recording recording(false);
  const std::int64_t before = now_ns();
  {
    Span span(outer);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const std::int64_t after = now_ns();
  const Snapshot s = recording.snapshot();
  const Event* e = find(s, "outer");
  ASSERT_TRUE(e);
  // A microsecond is room for the readings themselves; a wrong rate would be off by far more.
  EXPECT_GE(e->begin_ns + s.start_ns, before - 1000);
  EXPECT_LE(e->end_ns + s.start_ns, after + 1000);
  EXPECT_GE(e->end_ns - e->begin_ns, 4'990'000);
}

TEST(TraceRecording, InnerRecordingSeesItsOwnTime) {
  Recording whole(false);
  { Span span(outer); }
  {
    Recording part(false);
    { Span span(inner); }
    const Snapshot s = part.snapshot();
    EXPECT_EQ(count(s, "outer"), 0);
    EXPECT_EQ(count(s, "inner"), 1);
  }
  EXPECT_TRUE(enabled.load());
  whole.close();
  EXPECT_FALSE(enabled.load());
  EXPECT_EQ(count(whole.snapshot(), "outer"), 1);
  EXPECT_EQ(count(whole.snapshot(), "inner"), 1);
}

TEST(TraceRecording, QueueIntervalsHaveTheirOwnRow) {
  Recording recording(false);
  const Track queue = track("queue 0");
  EXPECT_EQ(queue, track("queue 0"));
  const Flow flow = new_flow();
  event(Site{"submit", Category::gpu}, {{"kernels", 1}}, flow);
  const std::int64_t t = now_ns();
  complete(kernel, queue, {t + 100, t + 200, true}, {{"bytes", 64}}, flow);
  std::this_thread::sleep_for(std::chrono::microseconds(10));  // the interval lies in the recording
  const Snapshot s = recording.snapshot();
  const Event* e = find(s, "kernel");
  ASSERT_TRUE(e);
  EXPECT_EQ(e->end_ns - e->begin_ns, 100);
  EXPECT_TRUE(e->bounded);
  EXPECT_EQ(e->flow, flow);
  EXPECT_EQ(s.rows[e->row].name, "queue 0");
  EXPECT_FALSE(s.rows[e->row].is_thread);
}

TEST(TraceRecording, OverlappingIntervalsMoveToFurtherRows) {
  Recording recording(false);
  const Track queue = track("busy queue");
  const std::int64_t t = now_ns();
  complete(kernel, queue, {t, t + 100});
  complete(kernel, queue, {t + 10, t + 90});
  complete(kernel, queue, {t + 50, t + 150});
  std::this_thread::sleep_for(std::chrono::microseconds(10));
  const Snapshot s = recording.snapshot();
  ASSERT_EQ(s.events.size(), 3u);
  EXPECT_EQ(s.events[1].row, s.events[0].row);
  EXPECT_EQ(s.events[1].depth, 1);
  EXPECT_NE(s.events[2].row, s.events[0].row);
  EXPECT_EQ(s.rows[s.events[2].row].name, "busy queue (2)");
}

TEST(TraceRecording, DetailShowsStagesAndWorkers) {
  { Stage stage(stage::bands); }
  {
    Recording plain(false);
    { Stage stage(stage::bands); }
    EXPECT_EQ(count(plain.snapshot(), "bands"), 0);
  }
  Recording recording(true);
  ThreadsScope two(2);
  parallel_for(64, 1, [](Index, Index) { Stage stage(stage::bands); });
  const Snapshot s = recording.snapshot();
  EXPECT_GT(count(s, "worker"), 1);
  EXPECT_EQ(count(s, "bands"), count(s, "worker"));
}

TEST(TraceRecording, InternedTextsAreSharedAndOwned) {
  const char* first;
  {
    const std::string text = "a name made at run time";
    first = intern(text);
    EXPECT_NE(first, text.c_str());
  }
  EXPECT_EQ(first, intern("a name made at run time"));
}

}  // namespace
}  // namespace metalmom::trace
