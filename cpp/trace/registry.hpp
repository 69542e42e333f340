// What all threads share: the rings, the tracks, who records. Everything here is behind one mutex,
// which is held across a fork, so that a child finds it in order.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "trace/ring.hpp"

namespace metalmom::trace {

struct Registry {
  std::mutex mutex;
  // Lists, since a ring goes from one to the other where there may be no memory.
  std::list<std::shared_ptr<Ring>> live;     // of threads that run
  std::list<std::shared_ptr<Ring>> retired;  // of threads that ended, kept while somebody records
  std::size_t retired_slots = 0;
  // Events that are in no ring: of ended threads, dropped to bound the memory, and of threads that
  // had no room for them.
  std::atomic<std::uint64_t> dropped{0};
  std::vector<std::string> tracks{""};  // by Track; track 0 stands for the writing thread itself
  int recordings = 0, detailed = 0;
};

// Never destroyed: threads may end after static destructors have run.
Registry& registry();

// Slots of a ring. The system gives no memory for pages that are never written.
inline constexpr std::size_t default_ring_capacity = std::size_t{1} << 18;
void set_ring_capacity(std::size_t slots);

}  // namespace metalmom::trace
