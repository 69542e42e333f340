// Runs calls together: those that read the same frames of the same audio share its transforms and
// whatever follows from them, and the blocks of all signals lie side by side in one parallel work.
// A call's result is bitwise what it is alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "graph/call.hpp"
#include "graph/session.hpp"

namespace metalmom::graph {

// What a call was in a run.
struct Node {
  int pipeline = -1;      // calls with the same number shared their transforms; -1: ran by itself
  const char* side = "";  // "CPU" or "GPU"; empty if it ran by itself, where the dispatcher chose
  // Of a watched run: the values that it read, from the transform's power on, each in words:
  // "power", "128 bands", "levels".
  std::vector<std::string> reads = {};
  // Of a watched run, of a call that shared its transforms on the CPU: ticks of all workers, by
  // ops::Spending.
  std::array<std::int64_t, ops::n_spendings> spent{};
  // When it ran, on the monotonic clock. Calls of pipelines share the interval of all that ran with
  // them.
  std::int64_t begin_ns = 0, end_ns = 0;
  std::exception_ptr error = {};  // why it has no result (for example: its audio is not finite)
};

// Runs the calls. An error of one is kept in its node, and the others have their results.
// `watched`: fill `reads` and `spent`. `names`, if given: the name of each call in a trace (from
// trace::intern).
std::vector<Node> run_together(std::span<const Call* const> calls, Session& session, bool watched,
                               std::span<const char* const> names = {});

}  // namespace metalmom::graph
