// A span that nobody records, and one that somebody does, with and without arguments. A recorded
// span reads the clock twice: `clock` says how much of its time that is.
#include <benchmark/benchmark.h>

#include <memory>

#include "base/clock.hpp"
#include "trace/recording.hpp"
#include "trace/trace.hpp"

namespace metalmom::bench {
namespace {

constexpr trace::Site site{"bench", trace::Category::engine};

void clock(benchmark::State& state) {
  const trace::Recording recording(false);  // decides which clock
  for (auto _ : state) benchmark::DoNotOptimize(ticks());
}
BENCHMARK(clock);

void span(benchmark::State& state) {
  const auto recording = state.range(0) ? std::make_unique<trace::Recording>(false) : nullptr;
  for (auto _ : state) {
    trace::Span span(site);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(span)->ArgName("recording")->Arg(0)->Arg(1);

void span_with_arguments(benchmark::State& state) {
  const trace::Recording recording(false);
  for (auto _ : state) {
    trace::Span span(site);
    for (int i = 0; i < state.range(0); ++i) span.arg("frames", i);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(span_with_arguments)->ArgName("args")->Arg(2)->Arg(8)->Arg(16);

void point(benchmark::State& state) {
  const trace::Recording recording(false);
  for (auto _ : state) trace::event(site);
}
BENCHMARK(point);

}  // namespace
}  // namespace metalmom::bench
