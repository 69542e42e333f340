// What a call copied and allocated, as details of its bridge span.
#pragma once

#include "base/counters.hpp"
#include "trace/trace.hpp"

namespace metalmom::bridge {

// `before` is a copy of the thread's counters from the beginning of the call.
inline void add_byte_counts(trace::Span& span, const Counters& before) {
  if (!span.on()) return;
  const auto gained = [&](auto member) {
    return static_cast<std::int64_t>(counters().*member - before.*member);
  };
  span.arg("copied_bytes", gained(&Counters::copied_bytes));
  span.arg("output_bytes", gained(&Counters::output_bytes));
}

}  // namespace metalmom::bridge
