// Reading a trace: a recording switches the gate on, and becomes a snapshot of what was written
// while it was on. Recordings may nest and overlap, in any threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "trace/host_memory.hpp"
#include "trace/registry.hpp"

namespace metalmom::trace {

struct Event {
  const char* name;
  Category category;
  Kind kind;
  bool bounded, starts_flow;
  Flow flow;
  int row, depth;  // row of the timeline, and how many spans of that row enclose this one
  std::int64_t begin_ns, end_ns;  // since the start of the recording
  std::uint32_t first_arg, n_args;
};

// A line of the timeline on which events nest. Where some of a row's do not, further rows have its
// number below these bits, and theirs above.
inline constexpr int further_row_bits = 24;
struct Row {
  std::int64_t tid;
  std::string name;
  bool is_thread;
};

struct Snapshot {
  std::vector<Event> events;  // by row, then begin; enclosing spans before those they enclose
  std::vector<Arg> args;
  std::vector<Row> rows;
  std::int64_t start_ns = 0, duration_ns = 0;  // CLOCK_MONOTONIC at the start
  // events that a ring had to overwrite, or for which there was none
  std::uint64_t dropped = 0;

  std::span<const Arg> args_of(const Event& e) const {
    return {args.data() + e.first_arg, e.n_args};
  }
};

class Recording {
 public:
  static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);

  // With `host_memory`, a thread samples the memory of the process meanwhile.
  explicit Recording(bool detail, bool host_memory = false);
  ~Recording();
  Recording(const Recording&) = delete;

  // What was recorded until now, or until `close`. Threads go on writing meanwhile. With `last_ns`,
  // of a recording that goes on: what ended in the last nanoseconds, and `dropped` is an estimate.
  // With `most`: of these the newest events.
  Snapshot snapshot(std::int64_t last_ns = 0, std::size_t most = no_limit) const;

  // Ends the recording and keeps the snapshot that it would give. Later calls do nothing. Other
  // threads may take snapshots meanwhile.
  void close();

 private:
  void stop() noexcept;
  Snapshot read(ClockPair stop, std::int64_t last_ns = 0, std::size_t most = no_limit) const;
  std::shared_ptr<const Snapshot> kept() const;

  bool detail_;
  ClockPair start_;
  // by ring id; rings made later are read from their beginning
  std::map<std::uint64_t, Ring::Position> from_;
  std::uint64_t dropped_before_ = 0;
  std::shared_ptr<const Snapshot> kept_;  // of a closed recording; guarded by the registry's mutex
  std::optional<HostMemoryTrack> host_memory_;
};

}  // namespace metalmom::trace
