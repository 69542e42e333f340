// What the layers write into a trace: spans, point events, counter samples, and intervals measured
// elsewhere (GPU queues), all on one clock. While nobody records, each costs one relaxed load and
// a branch. Names and text values have static storage, or come from `intern`. Nothing that writes
// an event throws: where there is no memory for it, it is counted as dropped.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

namespace metalmom::trace {

enum class Category : std::uint8_t { bridge, engine, gpu, user };

// Where something is written: a constant with static storage, its name never freed.
struct Site {
  const char* name;
  Category category;
};

// A detail shown on click: a key and a number or a text.
struct Arg {
  enum class Type : std::uint8_t { integer, real, text };

  template <std::integral T>
  Arg(const char* k, T value) : key(k), integer(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  Arg(const char* k, T value) : key(k), type(Type::real), real(value) {}
  Arg(const char* k, const char* value) : key(k), type(Type::text), text(value) {}

  const char* key;
  Type type = Type::integer;
  union {
    std::int64_t integer;
    double real;
    const char* text;
  };
};

inline constexpr int max_args = 16;  // per event; further ones are dropped

// An arrow in the timeline, from the event that starts it (a submit) to every interval that ends it
// (its kernels).
using Flow = std::uint32_t;
inline constexpr Flow no_flow = 0;
Flow new_flow();

// A row of the timeline that is no thread: one per GPU queue. The same name is the same track.
enum class Track : std::uint16_t {};
Track track(std::string_view name);

// An owned copy of `text` that lives as long as the process. Equal texts share one copy; after
// 65,536 different ones the answer is "(other)", so that generated names cannot exhaust memory, and
// so it is where there is none.
const char* intern(std::string_view text) noexcept;

// Sets the name of the calling thread in traces; by default it is the operating system's name for
// it.
void name_thread(std::string_view name);

// Nanoseconds of CLOCK_MONOTONIC, the clock of `Interval`.
std::int64_t now_ns();

inline std::atomic<bool> enabled{false};  // true while somebody records
// true while somebody records stages and workers, too
inline std::atomic<bool> detail_enabled{false};

namespace detail {

// An argument as it is stored: the address of the key with the type in its two highest bits, which
// addresses of user space leave free, and the bits of the value.
struct PackedArg {
  std::uint64_t key = 0, value = 0;

  PackedArg() = default;
  explicit PackedArg(const Arg& arg)
      : key(std::bit_cast<std::uint64_t>(arg.key) | static_cast<std::uint64_t>(arg.type) << 62),
        value(arg.type == Arg::Type::real   ? std::bit_cast<std::uint64_t>(arg.real)
              : arg.type == Arg::Type::text ? std::bit_cast<std::uint64_t>(arg.text)
                                            : std::bit_cast<std::uint64_t>(arg.integer)) {}
  Arg unpacked() const {
    const char* name = std::bit_cast<const char*>(key << 2 >> 2);
    switch (static_cast<Arg::Type>(key >> 62)) {
      case Arg::Type::real:
        return {name, std::bit_cast<double>(value)};
      case Arg::Type::text:
        return {name, std::bit_cast<const char*>(value)};
      default:
        return {name, std::bit_cast<std::int64_t>(value)};
    }
  }
};

// A 64-byte slot has two arguments in an event and three in each slot after it. So up to two places
// behind the last argument may be read.
inline constexpr int arg_places = max_args + 2;

// A span of the calling thread that has not ended. Arguments are packed here when they are given,
// without a call, since a span of the engine has eight.
struct OpenSpan {
  const char* name;
  struct ThreadState* thread;
  std::int64_t begin;
  Category category;
  Flow starts;
  int n_args;
  std::array<PackedArg, arg_places> args;

  void add(const Arg& arg) {
    if (n_args < max_args) args[static_cast<std::size_t>(n_args++)] = PackedArg(arg);
  }
};

OpenSpan* begin(const char* name, Category category) noexcept;
void end(OpenSpan* span) noexcept;
}  // namespace detail

// A span of the scope that it is in. Nothing takes its address, so `open_` can stay in a register,
// and a span that is not recorded becomes a single branch.
class Span {
 public:
  // With `gate` detail_enabled: only in a trace with detail.
  explicit Span(const Site& site, const std::atomic<bool>& gate = enabled) {
    if (gate.load(std::memory_order_relaxed)) [[unlikely]]
      open_ = detail::begin(site.name, site.category);
  }
  ~Span() {
    if (open_) [[unlikely]]
      detail::end(open_);
  }
  Span(const Span&) = delete;

  bool on() const { return open_ != nullptr; }

  template <class T>
  void arg(const char* key, T value) {
    if (open_) [[unlikely]]
      open_->add(Arg(key, value));
  }
  // Replaces the name. If the name takes time to find, ask `on()` first.
  void rename(const char* name) {
    if (open_) [[unlikely]]
      open_->name = name;
  }
  void start_flow(Flow flow) {
    if (open_) [[unlikely]]
      open_->starts = flow;
  }

 private:
  detail::OpenSpan* open_ = nullptr;
};

// How many spans of a category are open on the calling thread.
int open_spans(Category category);

namespace detail {
void point(const Site& site, std::span<const Arg> args, Flow starts) noexcept;
void sample(const Site& site, const Arg& value) noexcept;
}  // namespace detail

// A point on the calling thread; `starts` draws arrows from here (a submit).
inline void event(const Site& site, std::initializer_list<Arg> args = {}, Flow starts = no_flow) {
  if (enabled.load(std::memory_order_relaxed)) [[unlikely]]
    detail::point(site, args, starts);
}

// A sample of a counter track (device memory, pool use); `site.name` names the track.
template <class T>
void counter(const Site& site, T value) {
  if (enabled.load(std::memory_order_relaxed)) [[unlikely]]
    detail::sample(site, Arg("value", value));
}

// Something that was timed elsewhere, in nanoseconds of `now_ns`. `bounded` says that the times
// are bounds (submitted, seen finished) and not measurements on a calibrated clock.
struct Interval {
  std::int64_t begin_ns, end_ns;
  bool bounded = false;
};

// A span on a virtual track. May be written by any thread, long after the fact, in any order;
// intervals that overlap without nesting are drawn on rows of their own. `ends` is the flow of the
// submit that caused it. Does nothing unless somebody records.
void complete(const Site& site, Track where, Interval when, std::span<const Arg> args,
              Flow ends = no_flow) noexcept;
inline void complete(const Site& site, Track where, Interval when,
                     std::initializer_list<Arg> args = {}, Flow ends = no_flow) noexcept {
  complete(site, where, when, std::span(args.begin(), args.size()), ends);
}

// For callers that cannot keep a Span in a scope: a moment (0 while nobody records), and the span
// from that moment until now on the calling thread's own row.
std::int64_t stamp() noexcept;
void complete_since(const Site& site, std::int64_t stamp, std::span<const Arg> args = {}) noexcept;
// Until another moment. Both are ticks (base/clock.hpp).
void complete_between(const Site& site, std::int64_t begin, std::int64_t end,
                      std::span<const Arg> args) noexcept;

}  // namespace metalmom::trace
