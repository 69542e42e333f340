// The event storage of one thread: a ring of 64-byte slots with one writer and any number of
// readers that never block it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <concepts>
#include <cstdint>
#include <memory>
#include <string>

#include "trace/trace.hpp"

namespace metalmom::trace {

enum class Kind : std::uint8_t { span, point, sample, more_args };

// One cache line. An event is a slot; arguments beyond the second lie in `more_args` slots right
// before it, so that an event is whole once its own slot is published.
//   word 0      bits 0-31 flow, 32-43 track, 44-46 category, 47-49 kind, 50-51 number of
//               arguments here, 52.. flags
//   event       name, begin, end, (key, value) x 2
//   more_args   -, (key, value) x 3
struct alignas(64) Slot {
  std::uint64_t word[8];
};

namespace slot {

inline constexpr std::uint64_t flag_ns = 1ull << 52;       // times are nanoseconds, not ticks
inline constexpr std::uint64_t flag_bounded = 1ull << 53;  // times are bounds
inline constexpr std::uint64_t flag_starts = 1ull << 54;   // the flow starts here (else it ends)

inline std::uint64_t header(Kind kind, Category category = {}, Track where = {}, Flow flow = 0) {
  return flow | static_cast<std::uint64_t>(where) << 32 |
         static_cast<std::uint64_t>(category) << 44 | static_cast<std::uint64_t>(kind) << 47;
}
inline std::uint64_t count_bits(int n_args) {
  return static_cast<std::uint64_t>(n_args) << 50;
}
inline Flow flow(const Slot& s) {
  return static_cast<Flow>(s.word[0]);
}
inline Track where(const Slot& s) {
  return static_cast<Track>(s.word[0] >> 32 & 0xfff);
}
inline Category category(const Slot& s) {
  return static_cast<Category>(s.word[0] >> 44 & 7);
}
inline Kind kind(std::uint64_t header) {
  return static_cast<Kind>(header >> 47 & 7);
}
inline Kind kind(const Slot& s) {
  return kind(s.word[0]);
}
inline int arg_count(const Slot& s) {
  return static_cast<int>(s.word[0] >> 50 & 3);
}

inline Arg get_arg(const Slot& s, int i) {
  const int at = (kind(s) == Kind::more_args ? 2 : 4) + 2 * i;
  detail::PackedArg packed;
  packed.key = s.word[at];
  packed.value = s.word[at + 1];
  return packed.unpacked();
}

}  // namespace slot

class Ring {
 public:
  explicit Ring(std::size_t capacity, std::uint64_t id_of = next_id())
      : id(id_of),
        slots_(std::make_unique_for_overwrite<Slot[]>(std::bit_ceil(capacity))),
        mask_(std::bit_ceil(capacity) - 1) {}

  // Called by the owning thread only. Words are passed by value, so that they go from registers to
  // the slot without a copy. Each word is a release store (a plain store on x86): a reader that
  // sees one of the new words also sees the new `head_`, which says that the old slot is lost.
  template <std::same_as<std::uint64_t>... Word>
  requires(sizeof...(Word) == 7) void push(std::uint64_t header, Word... rest) {
    const std::uint64_t at = head_.load(std::memory_order_relaxed);
    std::uint64_t* word = slots_[at & mask_].word;
    const auto store = [&word](std::uint64_t value) {
      std::atomic_ref(*word++).store(value, std::memory_order_release);
    };
    store(header);
    (store(rest), ...);
    const std::uint64_t is_event = slot::kind(header) != Kind::more_args;
    const std::uint64_t events = begun_.load(std::memory_order_relaxed) + is_event;
    begun_.store(events, std::memory_order_relaxed);
    head_.store(at + 1, std::memory_order_release);
    done_.store(events, std::memory_order_release);
  }

  struct Position {
    std::uint64_t slots = 0, events = 0;  // written so far, including those that were overwritten
  };
  // From where to read later. While a thread writes, `events` may count an event whose slot is not
  // complete. Readers report as dropped what was counted after this position and not read, so to
  // count an event early can hide a drop but never invent one.
  Position position() const {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    return {head, begun_.load(std::memory_order_relaxed)};
  }

  // Calls visit(slot) for each slot since `from` that is still whole, oldest first, and returns
  // the position read up to. Slots that the writer overwrote meanwhile are left out.
  template <class F>
  Position read(Position from, F&& visit) const {
    // At the end of a reading only events with complete slots count: one that is counted and cannot
    // be read yet would be reported as dropped.
    const std::uint64_t events = done_.load(std::memory_order_acquire);
    const Position to{head_.load(std::memory_order_acquire), events};
    const std::uint64_t capacity = mask_ + 1;
    const std::uint64_t kept = to.slots > capacity ? to.slots - capacity : 0;
    for (std::uint64_t at = std::max({from.slots, kept, first_}); at < to.slots; ++at) {
      Slot copy;
      for (int i = 0; i < 8; ++i)
        copy.word[i] = std::atomic_ref(slots_[at & mask_].word[i]).load(std::memory_order_acquire);
      // The writer may be filling slot `head`, whose place is that of slot `head - capacity`.
      if (head_.load(std::memory_order_relaxed) < at + capacity) visit(copy);
    }
    return to;
  }

  // A copy without unused places, for a thread that has ended. It has the same id, so positions in
  // the original are valid in it; readers of the original are not disturbed.
  std::shared_ptr<Ring> compacted() const {
    const std::uint64_t head = position().slots;
    const std::uint64_t used = head < capacity() ? head : capacity();
    auto copy = std::make_shared<Ring>(used + 1, id);  // + 1: `read` gives one place up
    for (std::uint64_t at = head - used; at < head; ++at)
      copy->slots_[at & copy->mask_] = slots_[at & mask_];
    copy->first_ = head - used;
    copy->head_ = head;
    copy->begun_ = copy->done_ = position().events;
    copy->tid = tid;
    copy->thread_name = thread_name;
    return copy;
  }

  std::size_t capacity() const { return mask_ + 1; }

  const std::uint64_t id;
  std::int64_t tid = 0;
  std::string thread_name;

 private:
  static std::uint64_t next_id() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }

  std::unique_ptr<Slot[]> slots_;
  std::uint64_t mask_;
  std::uint64_t first_ = 0;  // number of the first slot that a compacted ring has
  std::atomic<std::uint64_t> head_{0}, begun_{0}, done_{0};  // slots; events begun; events complete
};

}  // namespace metalmom::trace
