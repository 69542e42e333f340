// How many blocks there are: when the driver is asked for one, and when it gets one back.
#include <algorithm>
#include <bit>
#include <iterator>

#include "base/ceil_div.hpp"
#include "base/sub_sat.hpp"
#include "gpu/block_cache.hpp"

namespace metalmom::gpu {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// The largest request of each shared size class, and the size of its blocks.
constexpr std::array<std::size_t, 2> largest_shared = {mebibyte, 16 * mebibyte};
constexpr std::array<std::size_t, 2> shared_block = {8 * mebibyte, 64 * mebibyte};

// Reserved bytes over used bytes. Beyond it, empty blocks are given back before the driver is asked
// for more. The difference is in ranges that fit no request; tests_cpp/gpu_block_cache.cpp requires at
// most 1.5 for random sizes.
constexpr double least_slack = 1.15, most_slack = 1.3, slack_step = 0.01;
// The same where that is no more than this part of what the device has.
constexpr double ample_slack = 4;
constexpr std::size_t ample_part = 4;
// In addition to that: shared blocks are larger than what is in them.
constexpr std::size_t shared_slack = 2 * shared_block[1];

// An empty block that is larger than a request by this factor is not cut for it, unless memory is
// short.
constexpr std::size_t wasteful = 4;

std::size_t class_of(std::size_t bytes) {
  std::size_t size_class = 0;
  while (size_class < largest_shared.size() && bytes > largest_shared[size_class]) ++size_class;
  return size_class;
}

// A block of its own is a little larger than asked for, so that sizes that vary by some per cent,
// as clips' lengths do, find room in it: the next multiple of an eighth of its power of two.
std::size_t block_size(std::size_t size_class, std::size_t bytes) {
  if (size_class < shared_block.size()) return shared_block[size_class];
  const std::size_t step = std::clamp(std::bit_floor(bytes) / 8, 2 * mebibyte, 256 * mebibyte);
  return round_up(bytes, step);
}

}  // namespace

BlockCache::BlockCache(Driver& driver) : driver_(driver), slack_(least_slack) {}

// The smallest free range that holds so much; null also if that is an empty block of far too much.
BlockCache::Range* BlockCache::take_fitting(std::size_t size_class, std::size_t bytes) {
  Range* const fitting = best_fit(size_class, bytes);
  const bool too_good = size_class == shared_block.size() && fitting && fitting->block->empty() &&
                        fitting->bytes / wasteful > bytes;
  return fitting && !too_good ? carve(fitting, bytes) : nullptr;
}

std::size_t BlockCache::allowed(std::size_t live, std::size_t room) const {
  const auto peak = static_cast<double>(std::max({live, peak_, peak_before_}));
  const auto by = [&](double slack) { return shared_slack + static_cast<std::size_t>(slack * peak); };
  const std::size_t ample = room / ample_part + reserved_ / ample_part;
  return std::max(by(slack_), std::min(by(ample_slack), ample));
}

// An attempt itself waits for nothing. Where it cannot go on, others have their turn while this thread
// waits, and then it is made anew: what was free may be taken by then, and what was taken may be free.
// It waits for blocks that are empty now. If it waited for later ones too, others who take and give
// blocks could keep it here.
template <class F>
void BlockCache::in_turn(F&& attempt) {
  Patience patience;
  {
    std::lock_guard lock(mutex_);
    patience = emptied_;
  }
  while (true) {
    Awaited awaited;
    {
      std::lock_guard turn(turn_);
      awaited = attempt(patience);
    }
    if (!awaited) return;
    if (!driver_.wait(*awaited)) patience = none;
  }
}

BlockCache::Range* BlockCache::take(std::size_t bytes, std::size_t limit) {
  bytes = align_up(std::max<std::size_t>(bytes, 1));
  {
    std::lock_guard lock(mutex_);
    if (Range* range = take_fitting(class_of(bytes), bytes)) return range;
    if (live_ + bytes <= std::max(peak_, peak_before_))
      slack_ = std::min(slack_ + slack_step, most_slack);
  }
  Range* range = nullptr;
  in_turn([&](Patience patience) { return grow(bytes, limit, patience, range); });
  return range;
}

BlockCache::Awaited BlockCache::grow(std::size_t bytes, std::size_t limit, Patience patience,
                                     Range*& range) {
  const std::size_t size_class = class_of(bytes), room = driver_.room();
  std::size_t wanted = block_size(size_class, bytes), most;
  {
    std::lock_guard lock(mutex_);
    range = take_fitting(size_class, bytes);
    if (range) return {};
    most = std::min(allowed(live_ + bytes, room), limit);
    // An empty block is cut, whatever its size, if the sum must not grow.
    Range* const larger = best_fit(size_class, bytes);
    if (larger && reserved_ + wanted > most) {
      range = carve(larger, bytes);
      return {};
    }
  }
  if (reserved_ + wanted > most)
    if (const Awaited awaited = shrink(sub_sat(most, wanted), shared_block.size(), patience))
      return awaited;
  // There is no other way to get the rest. From here on this waits for any empty block, since the
  // alternative is an error; others who go on taking and giving may be served before it.
  if (patience != none) patience = all;
  // Near the limit a small request takes a block of its own size, not a whole shared block.
  if (reserved_ + wanted > limit) wanted = bytes;
  if (reserved_ + wanted > limit)
    if (const Awaited awaited = shrink(sub_sat(limit, wanted), 0, patience)) return awaited;
  if (reserved_ + wanted > limit) return {};
  if (wanted > driver_.room())
    if (const Awaited awaited = shrink(0, 0, patience)) return awaited;
  std::shared_ptr<void> memory = driver_.make(wanted);
  if (!memory) {
    if (const Awaited awaited = shrink(0, 0, patience)) return awaited;
    memory = driver_.make(wanted);
  }
  if (!memory && wanted > bytes) memory = driver_.make(wanted = bytes);
  if (!memory) return {};
  std::lock_guard lock(mutex_);
  range = carve(add_block(size_class, wanted, std::move(memory)), bytes);
  return {};
}

BlockCache::Awaited BlockCache::shrink(std::size_t bytes, std::size_t first_class,
                                       Patience patience) {
  std::list<Block> dropped;  // which the driver takes when the lock is free
  std::lock_guard lock(mutex_);
  for (auto block = blocks_.end(); block != blocks_.begin() && reserved_ > bytes;) {
    --block;
    if (block->size_class < first_class || !block->empty()) continue;
    const BusyUntil until = block->ranges.front().busy_until;
    if (driver_.reached(until)) {
      const auto next = std::next(block);
      drop(block, dropped);
      block = next;
    } else if (block->emptied <= patience) {
      tell();
      return until;
    }
  }
  tell();
  return {};
}

void BlockCache::shrink_to(std::size_t bytes) {
  in_turn([&](Patience patience) { return shrink(bytes, 0, patience); });
}

void BlockCache::shrink_at_once(std::size_t bytes) {
  in_turn([&](Patience) { return shrink(bytes, 0, none); });
}

void BlockCache::age() {
  std::lock_guard turn(turn_);
  std::list<Block> dropped;
  std::lock_guard lock(mutex_);
  peak_before_ = peak_;
  peak_ = live_;
  slack_ = least_slack;
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const auto here = block++;
    if (here->aged && here->empty() && driver_.reached(here->ranges.front().busy_until))
      drop(here, dropped);
    else
      here->aged = true;
  }
  tell();
}

}  // namespace metalmom::gpu
