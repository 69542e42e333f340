// Runs calls together: those that read the same frames of the same audio share its transforms and
// whatever follows from them, and the blocks of all signals lie side by side in one parallel work. A
// call's result is bitwise what it is alone.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include "graph/call.hpp"
#include "graph/session.hpp"

namespace metalmom::graph {

// What a call was in a run.
struct Node {
  int pipeline = -1;       // those with the same number were fed by the same transforms; -1: by itself
  const char* side = "";   // "CPU" or "GPU"; empty: by itself, wherever the dispatcher put it
  std::string reads;       // of a run that is watched, the value of a block that it read: "levels
                           // of 128 bands" ...
  std::exception_ptr error;  // why it has no result (its audio is not finite, say)
};

// One call's error is that call's alone: the others have their results. `watched`: nodes say what
// was read, too. `names`, where given: each call's in a trace (trace::intern).
std::vector<Node> run_together(std::span<const Call* const> calls, Session& session, bool watched,
                               std::span<const char* const> names = {});

}  // namespace metalmom::graph
