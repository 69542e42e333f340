#include "trace/trace.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <string>
#include <unordered_set>

#include "base/clock.hpp"
#include "trace/naming.hpp"
#include "trace/registry.hpp"

namespace metalmom::trace {

using detail::OpenSpan;
using detail::PackedArg;

namespace {

constexpr int max_depth = 64;
constexpr std::size_t max_interned = 65'536;
constexpr std::size_t max_retired_slots = std::size_t{1} << 21;
std::atomic<std::size_t> ring_capacity{default_ring_capacity};
std::atomic<Flow> last_flow{0};

}  // namespace

// A thread's open spans and its ring. Made when its first event is recorded.
struct detail::ThreadState {
  std::shared_ptr<Ring> ring;
  std::string name;  // empty: as the operating system calls it
  int depth = 0;
  OpenSpan open[max_depth];
};

using detail::ThreadState;

namespace {

// A plain pointer: a thread_local with a destructor would need a check at each access, and memory
// to be registered, for want of which the C library ends the process. `leave` frees it.
constinit thread_local ThreadState* this_thread = nullptr;

void retire(const std::shared_ptr<Ring>& ring) noexcept {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto place = std::ranges::find(r.live, ring);
  if (r.recordings == 0) {
    r.live.erase(place);
    return;
  }
  r.retired.splice(r.retired.end(), r.live, place);
  try {
    r.retired.back() = ring->compacted();
  } catch (const std::bad_alloc&) {
    // it keeps its unused places
  }
  r.retired_slots += r.retired.back()->capacity();
  while (r.retired_slots > max_retired_slots && r.retired.size() > 1) {
    r.retired_slots -= r.retired.front()->capacity();
    r.dropped += r.retired.front()->position().events;
    r.retired.pop_front();
  }
}

// Called at a thread's end.
void leave(void* state) {
  const std::unique_ptr<ThreadState> own(static_cast<ThreadState*>(state));
  this_thread = nullptr;
  if (own->ring) retire(own->ring);
}

pthread_key_t key_of_leave() noexcept {
  constexpr auto no_key = static_cast<pthread_key_t>(-1);
  pthread_key_t key = no_key;
  return pthread_key_create(&key, leave) == 0 ? key : no_key;
}

std::string os_thread_name() {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return name;
}

// Events are written where nothing may throw, such as in destructors. What there is no memory for
// is null here, and the event is dropped.
[[gnu::noinline]] ThreadState* make_state() noexcept {
  static const pthread_key_t key = key_of_leave();
  std::unique_ptr<ThreadState> made(new (std::nothrow) ThreadState);
  if (!made || pthread_setspecific(key, made.get()) != 0) return nullptr;
  return this_thread = made.release();
}

ThreadState* state() noexcept {
  return this_thread ? this_thread : make_state();
}

[[gnu::noinline]] Ring* attach(ThreadState& thread) noexcept {
  try {
    auto ring = std::make_shared<Ring>(ring_capacity.load());
    ring->tid = gettid();
    ring->thread_name = thread.name.empty() ? os_thread_name() : thread.name;
    Registry& r = registry();
    const std::lock_guard lock(r.mutex);
    r.live.push_back(ring);
    thread.ring = std::move(ring);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  ask_for_name();
  return thread.ring.get();
}

Ring* ring_of(ThreadState& thread) noexcept {
  return thread.ring ? thread.ring.get() : attach(thread);
}

Ring* own_ring() noexcept {
  ThreadState* const thread = state();
  return thread ? ring_of(*thread) : nullptr;
}

void drop() noexcept {
  registry().dropped.fetch_add(1, std::memory_order_relaxed);
}

struct Times {
  std::int64_t begin, end;
};

// Writes the arguments that do not fit the event's own slot first, then the event. `arg(i)` is
// called for up to two places behind `n_args`; what it returns there is stored and never shown.
template <class PackedArgAt>
void push_with(Ring& ring, std::uint64_t header, const char* name, Times times, int n_args,
               const PackedArgAt& arg) {
  constexpr int own = 2;
  for (int i = own; i < n_args; i += 3) {
    const PackedArg a = arg(i), b = arg(i + 1), c = arg(i + 2);
    ring.push(slot::header(Kind::more_args) | slot::count_bits(std::min(n_args - i, 3)),
              std::uint64_t{0}, a.key, a.value, b.key, b.value, c.key, c.value);
  }
  const PackedArg a = arg(0), b = arg(1);
  ring.push(header | slot::count_bits(std::min(n_args, own)), std::bit_cast<std::uint64_t>(name),
            static_cast<std::uint64_t>(times.begin), static_cast<std::uint64_t>(times.end), a.key,
            a.value, b.key, b.value);
}

void push(std::uint64_t header, const char* name, Times times, std::span<const Arg> args) noexcept {
  Ring* const ring = own_ring();
  if (!ring) return drop();
  const int n_args = static_cast<int>(std::min<std::size_t>(args.size(), max_args));
  push_with(*ring, header, name, times, n_args, [&](int i) {
    return i < n_args ? PackedArg(args[static_cast<std::size_t>(i)]) : PackedArg();
  });
}

// A forked child has only the thread that forked, and begins with empty rings, so that events of
// the parent do not appear in the child.
void start_child() {
  Registry& r = registry();
  r.live.clear();
  r.retired.clear();
  r.retired_slots = 0;
  if (this_thread) this_thread->ring = nullptr;
  r.mutex.unlock();
}

}  // namespace

Registry& registry() {
  static Registry* instance = [] {
    auto* made = new Registry;
    pthread_atfork([] { registry().mutex.lock(); }, [] { registry().mutex.unlock(); }, start_child);
    return made;
  }();
  return *instance;
}

void set_ring_capacity(std::size_t slots) {
  ring_capacity.store(std::max<std::size_t>(slots, 8));
}

// What `end` writes to is made here: a span ends where memory may have run out, too.
OpenSpan* detail::begin(const char* name, Category category) noexcept {
  ThreadState* const thread = state();
  if (!thread || thread->depth == max_depth || !ring_of(*thread)) {
    drop();
    return nullptr;
  }
  OpenSpan& span = thread->open[thread->depth++];
  span.name = name;
  span.category = category;
  span.n_args = 0;
  span.starts = no_flow;
  span.thread = thread;
  span.begin = ticks();
  return &span;
}

void detail::end(OpenSpan* span) noexcept {
  const std::int64_t now = ticks();
  ThreadState& thread = *span->thread;
  --thread.depth;
  Ring* const ring = ring_of(thread);  // another one after a fork
  if (!ring) return drop();
  std::uint64_t header = slot::header(Kind::span, span->category, Track{}, span->starts);
  if (span->starts) header |= slot::flag_starts;
  push_with(*ring, header, span->name, {span->begin, now}, span->n_args,
            [span](int i) { return span->args[static_cast<std::size_t>(i)]; });
}

int open_spans(Category category) {
  if (!this_thread) return 0;
  const OpenSpan* open = this_thread->open;
  return static_cast<int>(std::count_if(open, open + this_thread->depth,
                                        [&](const OpenSpan& s) { return s.category == category; }));
}

void detail::point(const Site& site, std::span<const Arg> args, Flow starts) noexcept {
  const std::int64_t now = ticks();
  std::uint64_t header = slot::header(Kind::point, site.category, Track{}, starts);
  if (starts) header |= slot::flag_starts;
  push(header, site.name, {now, now}, args);
}

void detail::sample(const Site& site, const Arg& value) noexcept {
  const std::int64_t now = ticks();
  push(slot::header(Kind::sample, site.category), site.name, {now, now}, {&value, 1});
}

void complete(const Site& site, Track where, Interval when, std::span<const Arg> args,
              Flow ends) noexcept {
  if (!enabled.load(std::memory_order_relaxed)) return;
  const std::uint64_t header = slot::header(Kind::span, site.category, where, ends) |
                               slot::flag_ns | (when.bounded ? slot::flag_bounded : 0);
  const std::int64_t end = std::max(when.begin_ns, when.end_ns);
  push(header, site.name, {when.begin_ns, end}, args);
}

std::int64_t stamp() noexcept {
  if (!enabled.load(std::memory_order_relaxed)) return 0;
  own_ring();  // what ends then finds it
  return ticks();
}

void complete_since(const Site& site, std::int64_t stamp, std::span<const Arg> args) noexcept {
  if (!stamp) return;
  complete_between(site, stamp, ticks(), args);
}

void complete_between(const Site& site, std::int64_t begin, std::int64_t end,
                      std::span<const Arg> args) noexcept {
  push(slot::header(Kind::span, site.category), site.name, {begin, end}, args);
}

Flow new_flow() {
  const Flow flow = last_flow.fetch_add(1, std::memory_order_relaxed) + 1;
  return flow ? flow : new_flow();
}

Track track(std::string_view name) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  const auto found = std::find(r.tracks.begin() + 1, r.tracks.end(), name);
  const auto index = found - r.tracks.begin();
  if (found == r.tracks.end()) {
    if (index > 0xfff) return Track{0xfff};
    r.tracks.emplace_back(name);
  }
  return static_cast<Track>(index);
}

const char* intern(std::string_view text) noexcept {
  constexpr const char* other = "(other)";
  try {
    static auto* table = new std::unordered_set<std::string>;
    std::lock_guard lock(registry().mutex);
    if (table->size() >= max_interned) {
      const auto found = table->find(std::string(text));
      return found == table->end() ? other : found->c_str();
    }
    return table->emplace(text).first->c_str();  // elements of a set do not move
  } catch (const std::bad_alloc&) {
    return other;
  }
}

void name_thread(std::string_view name) {
  ThreadState* const thread = state();
  if (!thread) throw std::bad_alloc();
  thread->name = name;
  if (!thread->ring) return;
  std::lock_guard lock(registry().mutex);
  thread->ring->thread_name = name;
}

void ask_for_name() noexcept {
  const ThreadState* const thread = state();
  if (!thread || !thread->name.empty()) return;
  if (const auto hook = naming_hook.load(std::memory_order_relaxed)) hook();
}

std::int64_t now_ns() {
  return monotonic_ns();
}

}  // namespace metalmom::trace
