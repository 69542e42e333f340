#include "dispatch/dispatch.hpp"

namespace metalmom::dispatch {

void CounterArgs::report(trace::Span& span) const {
  const Counters& now = counters();
  const auto gain = [&](const char* key, std::uint64_t Counters::*member) {
    if (const auto gained = now.*member - before_.*member)
      span.arg(key, static_cast<std::int64_t>(gained));
  };
  gain("allocations", &Counters::allocations);
  gain("plan_builds", &Counters::plan_builds);
  gain("cache_hits", &Counters::cache_hits);
  gain("cache_misses", &Counters::cache_misses);
  gain("submits", &Counters::submits);
}

}  // namespace metalmom::dispatch
