// Memory that is kept: ranges cut from the blocks that a driver gives, and handed out again as soon
// as their owner drops them. It knows nothing of Vulkan, so that tests can feed it a driver that
// only counts.
//
// As in PyTorch's caching allocator, a range goes by its place in the device's order of work, not
// by the clock on the wall: what is dropped while kernels still use it can be taken at once by work
// that will be submitted after them, which is what a loop does. So a loop asks the driver for
// nothing once it has run, however far the host is ahead of the device. `busy_until` says when the
// earlier use ends, for whoever does not queue behind it.
//
// Requests of up to 1 MiB, up to 16 MiB and above have blocks of their own: a small array that
// lives long must not keep a large block from the next large array. Within a size class the
// smallest free range that fits is taken, and neighbours that are free are one range.
//
// Beyond a bound over the most that was in use lately, nothing is held while empty blocks can be
// given back instead. The bound begins low, for work whose sizes change, and rises each time the
// driver is asked although no more is in use than before, for a loop that needs its blocks again.
// Where the device has plenty it is four times what was in use: to give a block back waits for work
// and can take the driver longer than the work that wants another, and batches that grow by a third
// each time need in all four times as much as the last.
//
// Any thread may call. Slow work (the driver, waits for the device) holds no lock that takers need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "gpu/slice.hpp"

namespace metalmom::gpu {

// A point in the order in which a device does its work; 0 is always past (gpu/vk/clock.hpp).
using Tick = std::uint64_t;

// When work that uses memory is done: the device's own, and that of others the memory was lent to,
// who have a clock of their own.
struct BusyUntil {
  Tick own = 0, others = 0;
  BusyUntil() = default;
  BusyUntil(Tick the_own, Tick the_others = 0) : own(the_own), others(the_others) {}
};

class BlockCache {
 public:
  struct Use {
    std::size_t live = 0;      // bytes in ranges that are taken
    std::size_t reserved = 0;  // bytes in blocks
    std::size_t kept() const { return reserved - live; }
  };

  // Where blocks come from.
  class Driver {
   public:
    virtual ~Driver() = default;
    // A block's memory, given back when the pointer goes; null when there is none.
    virtual std::shared_ptr<void> make(std::size_t bytes) = 0;
    // How many bytes can be had before the device must take memory from other processes.
    virtual std::size_t room() = 0;
    // Whether all work is past this point; `wait` returns the same after waiting (false if the
    // device is lost), and may throw.
    virtual bool reached(BusyUntil until) = 0;
    virtual bool wait(BusyUntil until) = 0;
    // Told of each change, in order. Like `reached`, it must be quick.
    virtual void changed(const Use&) {}
  };

  struct Block;
  struct Range;
  struct BySize {
    bool operator()(const Range* a, const Range* b) const;
  };
  using FreeRanges = std::set<Range*, BySize>;
  // A part of a block, from an offset that a slice may have.
  struct Range {
    Block* block = nullptr;
    std::size_t offset = 0, bytes = 0;
    BusyUntil busy_until;
    bool is_free = true;
    std::list<Range>::iterator place;  // in its block
    FreeRanges::node_type entry;       // of the set of free ranges, kept while it is taken
    void* memory() const;              // of the block, as the driver made it
  };

  explicit BlockCache(Driver& driver);

  // Null when neither the driver nor empty blocks have so much, or `limit` forbids it. Earlier work
  // may use the range until `busy_until`.
  Range* take(std::size_t bytes, std::size_t limit);
  // Allocates nothing, since an owner may drop a range because memory is short.
  void give(Range* range, BusyUntil busy_until);

  // Gives empty blocks back to the driver until at most `bytes` are reserved, those first that were
  // used longest ago. Waits for work that uses them.
  void shrink_to(std::size_t bytes);
  // The same with blocks that no work uses any more.
  void shrink_at_once(std::size_t bytes);
  // To be called from time to time: gives back blocks that nobody took memory from since the last
  // two calls, and forgets the peak of use before them.
  void age();

  Use use() const;
  // Tells the driver of the present use.
  void tell_use() const;
  // Whether there is an empty block.
  bool keeps_empty() const;

 private:
  // Empty blocks that work still uses are waited for if they were emptied up to this number, and
  // passed over otherwise.
  using Patience = std::uint64_t;
  static constexpr Patience none = 0, all = UINT64_MAX;
  // The work that an attempt must wait for before it can be made anew; empty if it came to its end.
  using Awaited = std::optional<BusyUntil>;

  // These are called with the lock.
  Range* best_fit(std::size_t size_class, std::size_t bytes) const;
  Range* take_fitting(std::size_t size_class, std::size_t bytes);
  Range* carve(Range* range, std::size_t bytes);
  Range* add_block(std::size_t size_class, std::size_t bytes, std::shared_ptr<void> memory);
  std::size_t allowed(std::size_t live, std::size_t room) const;
  void drop(std::list<Block>::iterator block, std::list<Block>& dropped);
  void tell() const { driver_.changed({live_, reserved_}); }

  // These are called by `in_turn`.
  Awaited grow(std::size_t bytes, std::size_t limit, Patience patience, Range*& range);
  Awaited shrink(std::size_t bytes, std::size_t first_class, Patience patience);
  template <class F>
  void in_turn(F&& attempt);

  Driver& driver_;
  // Held while the driver is asked for a block or given one back, not while work is waited for: one
  // thread at a time does that. Whoever finds a free range does not need it.
  // `reserved_` changes only with both locks.
  std::mutex turn_;
  mutable std::mutex mutex_;  // guards what follows; never held for long
  std::list<Block> blocks_;   // emptied last first
  std::array<FreeRanges, 3> free_;
  std::uint64_t made_ = 0, emptied_ = 1;  // how many times blocks were
  std::size_t live_ = 0, reserved_ = 0;
  std::size_t peak_ = 0, peak_before_ = 0;  // of live bytes, since the last `age` and before it
  double slack_;                            // bytes that may be reserved for each byte of the peak
};

struct BlockCache::Block {
  std::shared_ptr<void> memory;
  std::size_t bytes = 0, size_class = 0;
  std::uint64_t number = 0;
  std::uint64_t emptied = 0;  // the last time, counted over all blocks
  std::list<Range> ranges;    // in the order of their offsets
  bool aged = false;          // untouched since the last `age`
  std::list<Block>::iterator place;
  bool empty() const { return ranges.size() == 1 && ranges.front().is_free; }
};

}  // namespace metalmom::gpu
