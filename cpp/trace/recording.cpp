#include "trace/recording.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "trace/hooks.hpp"

namespace metalmom::trace {

namespace {

std::int64_t as_signed(std::uint64_t word) {
  return static_cast<std::int64_t>(word);
}

// Gathers the slots of the rings into events whose times are nanoseconds since `start`.
class Collector {
 public:
  // Events that ended before `since_ns` (on the clock of `start`) are left out.
  Collector(ClockPair start, ClockPair stop, std::int64_t since_ns, std::vector<std::string> tracks)
      : start_(start),
        since_ns_(since_ns - start.ns),
        conversion_(start, stop),
        tracks_(std::move(tracks)) {
    out_.start_ns = start.ns;
    out_.duration_ns = stop.ns - start.ns;
  }

  // Whether the last event of the ring was before `since_ns`.
  bool read(const Ring& ring, const std::string& thread_name, Ring::Position from) {
    std::uint64_t seen = 0;
    // when the oldest event ended that the ring still has, and when the newest did
    std::int64_t oldest = out_.duration_ns, newest = oldest;
    thread_ = {ring.tid, thread_name, true};
    thread_row_ = -1;
    pending_.clear();
    const auto to = ring.read(from, [&](const Slot& s) {
      if (slot::kind(s) == Kind::more_args) return take_args(s);
      newest = time(s, s.word[3]);
      if (!seen++) oldest = newest;
      const auto own = pending_.begin();
      std::vector<Arg> first;
      for (int i = 0; i < slot::arg_count(s); ++i) first.push_back(slot::get_arg(s, i));
      pending_.insert(own, first.begin(), first.end());
      add(s);
      pending_.clear();
    });
    const std::uint64_t shown = from.events + seen;
    if (to.events > shown) out_.dropped += missed(to.events - shown, seen, oldest);
    return newest < since_ns_;
  }

  // At most `most` events, the newest.
  Snapshot take(std::size_t most) {
    if (out_.events.size() > most) drop_oldest(out_.events.size() - most);
    if (since_ns_ > 0) begin_later();
    return std::move(out_);
  }

 private:
  // How many of the events that a ring has overwritten ended after `since_ns_`: none, if an older
  // event is still there; else as many as the ring would have got in that time at the rate of those
  // that it has.
  std::uint64_t missed(std::uint64_t overwritten, std::uint64_t seen, std::int64_t oldest) const {
    if (since_ns_ <= 0) return overwritten;
    if (oldest <= since_ns_) return 0;
    const auto kept_for = static_cast<double>(std::max<std::int64_t>(out_.duration_ns - oldest, 1));
    const double rate = static_cast<double>(seen) / kept_for;
    const double wanted = rate * static_cast<double>(oldest - since_ns_);
    return std::min(overwritten, static_cast<std::uint64_t>(wanted) + 1);
  }

  void drop_oldest(std::size_t count) {
    const auto by_end = [](const Event& a, const Event& b) { return a.end_ns < b.end_ns; };
    std::stable_sort(out_.events.begin(), out_.events.end(), by_end);
    since_ns_ = std::max(since_ns_, out_.events[count - 1].end_ns);
    out_.events.erase(out_.events.begin(),
                      out_.events.begin() + static_cast<std::ptrdiff_t>(count));
  }

  // Times count from `since_ns_`, or from the begin of a span that began before.
  void begin_later() {
    std::int64_t begin = since_ns_;
    for (const Event& e : out_.events) begin = std::min(begin, e.begin_ns);
    out_.start_ns += begin;
    out_.duration_ns -= begin;
    for (Event& e : out_.events) {
      e.begin_ns -= begin;
      e.end_ns -= begin;
    }
  }

  void take_args(const Slot& s) {
    for (int i = 0; i < slot::arg_count(s); ++i) pending_.push_back(slot::get_arg(s, i));
  }

  std::int64_t time(const Slot& s, std::uint64_t word) const {
    const bool is_ns = s.word[0] & slot::flag_ns;
    return (is_ns ? as_signed(word) : conversion_.ns(as_signed(word))) - start_.ns;
  }

  // Spans that were open when the recording began are left out: they belong to an earlier
  // recording.
  void add(const Slot& s) {
    Event e{};
    e.begin_ns = time(s, s.word[2]);
    e.end_ns = time(s, s.word[3]);
    if (e.begin_ns < 0 || e.begin_ns > out_.duration_ns || e.end_ns < since_ns_) return;
    e.name = std::bit_cast<const char*>(s.word[1]);
    e.category = slot::category(s);
    e.kind = slot::kind(s);
    e.bounded = s.word[0] & slot::flag_bounded;
    e.starts_flow = s.word[0] & slot::flag_starts;
    e.flow = slot::flow(s);
    e.row = slot::where(s) == Track{} ? thread_row() : row_of(slot::where(s));
    e.first_arg = static_cast<std::uint32_t>(out_.args.size());
    e.n_args = static_cast<std::uint32_t>(pending_.size());
    out_.args.insert(out_.args.end(), pending_.begin(), pending_.end());
    out_.events.push_back(e);
  }

  int thread_row() {
    if (thread_row_ < 0) thread_row_ = add_row(thread_);
    return thread_row_;
  }

  // Rows that are no threads get ids above those of the operating system (at most 2^22).
  int row_of(Track where) {
    const auto index = static_cast<std::size_t>(where);
    auto [found, fresh] = track_rows_.try_emplace(index, 0);
    if (fresh)
      found->second = add_row({(1 << 23) + static_cast<int>(index), tracks_[index], false});
    return found->second;
  }

  int add_row(const Row& row) {
    out_.rows.push_back(row);
    return static_cast<int>(out_.rows.size()) - 1;
  }

  ClockPair start_;
  std::int64_t since_ns_;  // since the start of the recording
  TickConversion conversion_;
  std::vector<std::string> tracks_;
  std::vector<Arg> pending_;
  std::unordered_map<std::size_t, int> track_rows_;
  Row thread_;
  int thread_row_ = -1;
  Snapshot out_;
};

// Enclosing spans come first. Of two equal intervals of a thread the one that was written later
// encloses the other.
void sort_events(Snapshot& s) {
  std::reverse(s.events.begin(), s.events.end());
  std::stable_sort(s.events.begin(), s.events.end(), [](const Event& a, const Event& b) {
    if (a.row != b.row) return a.row < b.row;
    if (a.begin_ns != b.begin_ns) return a.begin_ns < b.begin_ns;
    return a.end_ns > b.end_ns;
  });
}

// Gives every span its depth. A span that overlaps another one of its row without nesting (queues
// that run copies and kernels side by side, user spans of interleaved coroutines) moves to the
// first further row of the same name where it nests.
void lay_out(Snapshot& s) {
  sort_events(s);
  std::map<int, std::vector<int>> lanes_of;             // row -> itself and its further rows
  std::map<int, std::vector<std::int64_t>> open_spans;  // row -> ends of its open spans
  for (Event& e : s.events) {
    if (e.kind == Kind::sample) continue;
    auto& lanes = lanes_of.try_emplace(e.row, std::vector{e.row}).first->second;
    for (std::size_t i = 0;; ++i) {
      if (i == lanes.size()) {
        Row copy = s.rows[lanes[0]];
        copy.tid += static_cast<std::int64_t>(i) << further_row_bits;
        copy.name += " (" + std::to_string(i + 1) + ")";
        lanes.push_back(static_cast<int>(s.rows.size()));
        s.rows.push_back(copy);
      }
      auto& ends = open_spans[lanes[i]];
      while (!ends.empty() && ends.back() <= e.begin_ns && ends.back() < e.end_ns) ends.pop_back();
      if (!ends.empty() && ends.back() < e.end_ns) continue;
      e.row = lanes[i];
      e.depth = static_cast<int>(ends.size());
      if (e.kind == Kind::span) ends.push_back(e.end_ns);
      break;
    }
  }
  sort_events(s);
}

}  // namespace

Recording::Recording(bool detail, bool host_memory) : detail_(detail), start_(read_clocks()) {
  if (host_memory) host_memory_.emplace();  // what may fail comes first: it is not counted yet
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  for (const auto& ring : r.live) from_[ring->id] = ring->position();
  for (const auto& ring : r.retired) from_[ring->id] = ring->position();
  dropped_before_ = r.dropped;
  if (++r.recordings == 1) hear(true);
  if (detail_ && ++r.detailed == 1) {
    hear_details(true);
    detail_enabled.store(true, std::memory_order_relaxed);
  }
  enabled.store(true, std::memory_order_relaxed);
  if (host_memory_) host_memory_->ask();
}

Recording::~Recording() {
  std::lock_guard lock(registry().mutex);
  if (!kept_) stop();
}

// With the mutex held.
void Recording::stop() noexcept {
  Registry& r = registry();
  if (detail_ && --r.detailed == 0) {
    detail_enabled.store(false, std::memory_order_relaxed);
    hear_details(false);
  }
  if (--r.recordings > 0) return;
  enabled.store(false, std::memory_order_relaxed);
  hear(false);
  r.retired.clear();
  r.retired_slots = 0;
}

std::shared_ptr<const Snapshot> Recording::kept() const {
  std::lock_guard lock(registry().mutex);
  return kept_;
}

Snapshot Recording::snapshot(std::int64_t last_ns, std::size_t most) const {
  const auto last = kept();
  return last ? *last : read(read_clocks(), last_ns, most);
}

void Recording::close() {
  if (kept()) return;
  auto last = std::make_shared<const Snapshot>(read(read_clocks()));
  {
    std::lock_guard lock(registry().mutex);
    if (kept_) return;
    kept_ = std::move(last);
    stop();
  }
  host_memory_.reset();
}

// The mutex is held to list the rings, not to read them: a thread that starts or ends meanwhile
// does not wait for an export.
Snapshot Recording::read(ClockPair stop, std::int64_t last_ns, std::size_t most) const {
  const std::int64_t since_ns = last_ns > 0 ? stop.ns - last_ns : 0;
  std::vector<std::pair<std::shared_ptr<const Ring>, std::string>> rings;
  std::vector<std::string> tracks;
  std::uint64_t given_up = 0;
  bool threads_ended = false;
  {
    Registry& r = registry();
    std::lock_guard lock(r.mutex);
    for (const auto& ring : r.retired) rings.emplace_back(ring, ring->thread_name);
    for (const auto& ring : r.live) rings.emplace_back(ring, ring->thread_name);
    tracks = r.tracks;
    given_up = r.dropped - dropped_before_;
    threads_ended = !r.retired.empty();
  }
  Collector collector(start_, stop, since_ns, std::move(tracks));
  for (const auto& [ring, thread_name] : rings) {
    const auto found = from_.find(ring->id);
    const bool is_old =
        collector.read(*ring, thread_name, found == from_.end() ? Ring::Position{} : found->second);
    // Rings of ended threads are given up in the order in which they ended: those before were
    // older.
    if (std::exchange(threads_ended, false) && is_old) given_up = 0;
  }
  Snapshot result = collector.take(most);
  result.dropped += given_up;
  lay_out(result);
  return result;
}

}  // namespace metalmom::trace
