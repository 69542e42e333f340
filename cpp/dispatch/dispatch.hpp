// The one place where an op meets a backend: choose, open the engine span, run, fall back.
#pragma once

#include "base/counters.hpp"
#include "base/workers.hpp"
#include "ops/op.hpp"
#include "trace/trace.hpp"

namespace metalmom::dispatch {

template <class Op>
inline constexpr trace::Site engine_site{Op::name.data(), trace::Category::engine};

// Adds what this thread's counters gained over a call to its span.
class CounterArgs {
 public:
  CounterArgs() : before_(counters()) {}
  void report(trace::Span& span) const;

 private:
  Counters before_;
};

template <ops::Operation Op, class T>
void run(const typename Op::Plan& plan, const typename Op::template In<T>& in,
         const typename Op::template Out<T>& out) {
  trace::Span span(engine_site<Op>);
  const CounterArgs gained;
  ++counters().calls;
  Op::run_cpu(plan, in, out);
  if (span.on()) {
    const ops::Cost cost = Op::cost(plan);
    span.arg("backend", "cpu");
    span.arg("frames", cost.frames);
    span.arg("bytes", cost.bytes);
    span.arg("threads", static_cast<std::int64_t>(thread_count()));
    gained.report(span);
  }
}

}  // namespace metalmom::dispatch
