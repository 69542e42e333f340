// A thread that does the work of late levels (stream/partition_level.hpp), so that whoever brings
// samples never waits for it. Per level there is a ring of blocks between the two; what one thread
// has to tell the other are three counters: blocks posted, finished, and no longer wanted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "stream/partition_level.hpp"

namespace metalmom::stream {

// The blocks of a level. `fill`, `post` and `result` are the caller's, the rest is the worker's.
template <class T>
class LateBlocks {
 public:
  explicit LateBlocks(PartitionLevel<T>& level);

  // Samples of the block that is coming, at a place in it.
  void fill(Index channel, Index at, const T* samples, Index count);
  // The block is complete. Where the worker is so late that there is no room, it is left out.
  void post(Index number);
  // The result of the block posted last: of each channel twice the size; null, and forgotten, if it
  // is not ready.
  T* result();
  bool is_idle() const { return finished_.load(std::memory_order_acquire) == posted_; }
  void reset();

  // Of the worker. Whether there is a block; one unit of its work.
  bool has_work() const {
    return posted_.load(std::memory_order_acquire) != finished_.load(std::memory_order_relaxed);
  }
  void work();
  void begin_again() { unit_ = 0; }

 private:
  // Entries are counted, and have their places in rings by their count. While the caller reads a
  // result, the next one may be written.
  static constexpr Index n_entries = 4, n_results = 2;
  struct Entry {
    Index number = 0, left_out = 0;  // the block, and how many just before it have no entry
  };
  T* samples(Index entry, Index channel) const;
  T* results(Index entry, Index channel) const;

  PartitionLevel<T>& level_;
  Buffer<T> samples_, results_;
  std::array<Entry, n_entries> entries_;
  // So many entries the caller has posted; the worker has finished; the caller wants no more.
  std::atomic<Index> posted_{0}, finished_{0}, expired_{0};
  bool has_place_ = true;    // whether the block that is coming becomes an entry
  bool was_posted_ = false;  // whether the one before it is one
  Index left_out_ = 0;
  Index unit_ = 0;  // of the worker: the next one of its block
};

template <class T>
class LateWorker {
 public:
  // `levels` must outlive it, smallest first: the shorter a block, the sooner it is wanted.
  explicit LateWorker(std::span<const std::unique_ptr<LateBlocks<T>>> levels);
  ~LateWorker();

  // Wakes the thread after a post. In a forked child, which has no such thread, starts one.
  void wake();
  // Returns when the thread touches nothing until `go_on`.
  void pause();
  void go_on();
  // Returns when all that was posted is done.
  void settle();

 private:
  bool is_in_this_process() const;
  void start();
  void live();
  bool work();

  const std::span<const std::unique_ptr<LateBlocks<T>>> levels_;
  std::unique_ptr<std::thread> thread_;
  std::uint64_t generation_ = 0;  // of forks, when the thread was started
  std::atomic<int> calls_{0};     // counts what the thread is to look at
  std::atomic<int> pauses_{0};    // odd: the thread is to touch nothing
  std::atomic<int> answered_{0};  // the last pause that it has seen
  std::atomic<bool> ending_{false};
};

}  // namespace metalmom::stream
