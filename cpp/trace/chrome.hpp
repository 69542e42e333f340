// Chrome trace events, which Perfetto and chrome://tracing open: one JSON object whose
// `traceEvents` are complete events (X), points (i), counters (C), flow arrows (s, f) and names of
// rows (M), with times in microseconds since the start of the recording.
#pragma once

#include <map>
#include <ostream>
#include <string>

#include "trace/recording.hpp"

namespace metalmom::trace {

// Facts about the recording, written as `otherData`.
using About = std::map<std::string, std::string>;

// Writes the trace piece by piece, so that memory does not grow with it.
void write_chrome(std::ostream& out, const Snapshot& trace, const About& about = {});

const char* category_name(Category category);

}  // namespace metalmom::trace
