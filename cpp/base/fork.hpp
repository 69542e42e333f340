// State that a forked child must not share with its parent: locks that another thread may have
// held at the fork, threads that do not exist in the child.
#pragma once

#include <atomic>
#include <cstdint>

namespace metalmom {

// Counts the forks this process descends from; every ForkLocal compares itself with it.
std::uint64_t fork_generation();

// A lazily made T, replaced by a new one in a forked child. The child abandons the parent's object
// without destroying it, since its locks may be held by threads that the child does not have.
template <class T>
class ForkLocal {
 public:
  T& get() {
    const std::uint64_t now = fork_generation();
    Slot* slot = slot_.load(std::memory_order_acquire);
    while (!slot || slot->generation != now) {
      Slot* fresh = new Slot{now};
      if (slot_.compare_exchange_strong(slot, fresh, std::memory_order_acq_rel))
        return fresh->value;
      delete fresh;
    }
    return slot->value;
  }

 private:
  struct Slot {
    std::uint64_t generation;
    T value{};
  };
  // Never freed: static destructors must not race with threads that still run at exit.
  std::atomic<Slot*> slot_{nullptr};
};

}  // namespace metalmom
