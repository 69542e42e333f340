#include "gpu/vk/block_cache.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "base/ceil_div.hpp"
#include "base/sub_sat.hpp"

namespace metalmom::gpu {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

// The largest request of each shared size class, and the size of its blocks.
constexpr std::array<std::size_t, 2> largest_shared = {mebibyte, 16 * mebibyte};
constexpr std::array<std::size_t, 2> shared_block = {8 * mebibyte, 64 * mebibyte};

// Reserved bytes over used bytes. Beyond it, empty blocks are given back before the driver is asked
// for more. The difference is in ranges that fit no request; tests_cpp/gpu_block_cache.cpp requires
// at most 1.5 for random sizes.
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

void* BlockCache::Range::memory() const {
  return block->memory.get();
}

bool BlockCache::BySize::operator()(const Range* a, const Range* b) const {
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  if (a->block != b->block) return a->block->number < b->block->number;
  return a->offset < b->offset;
}

BlockCache::Range* BlockCache::best_fit(std::size_t size_class, std::size_t bytes) const {
  Block no_block;
  Range wanted{&no_block, 0, bytes, {}, true, {}, {}};
  const auto found = free_[size_class].lower_bound(&wanted);
  return found == free_[size_class].end() ? nullptr : *found;
}

BlockCache::Range* BlockCache::carve(Range* range, std::size_t bytes) {
  Block& block = *range->block;
  FreeRanges& free = free_[block.size_class];
  std::list<Range> rest;  // all allocations come first, so that one that fails changes nothing
  if (range->bytes > bytes) {
    rest.push_back(
        {&block, range->offset + bytes, range->bytes - bytes, range->busy_until, true, {}, {}});
    rest.front().place = rest.begin();
    free.insert(&rest.front());
  }
  range->entry = free.extract(range);
  range->bytes = bytes;
  range->is_free = false;
  block.ranges.splice(std::next(range->place), rest);
  block.aged = false;
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  tell();
  return range;
}

BlockCache::Range* BlockCache::add_block(std::size_t size_class, std::size_t bytes,
                                         std::shared_ptr<void> memory) {
  std::list<Block> made(1);
  Block& block = made.front();
  block.memory = std::move(memory);
  block.bytes = bytes;
  block.size_class = size_class;
  block.number = made_++;
  block.place = made.begin();
  block.ranges.push_back({&block, 0, bytes, {}, true, {}, {}});
  Range& whole = block.ranges.front();
  whole.place = block.ranges.begin();
  free_[size_class].insert(&whole);
  blocks_.splice(blocks_.begin(), made);
  reserved_ += bytes;
  return &whole;
}

void BlockCache::give(Range* range, BusyUntil busy_until) {
  std::lock_guard lock(mutex_);
  Block& block = *range->block;
  FreeRanges& free = free_[block.size_class];
  live_ -= range->bytes;
  range->busy_until = busy_until;
  range->is_free = true;
  const auto join = [&](std::list<Range>::iterator first, std::list<Range>::iterator second) {
    first->bytes += second->bytes;
    auto& [own, others] = first->busy_until;
    own = std::max(own, second->busy_until.own);
    others = std::max(others, second->busy_until.others);
    block.ranges.erase(second);
    return first;
  };
  FreeRanges::node_type entry = std::move(range->entry);  // of the range that comes of it
  auto place = range->place;
  if (const auto next = std::next(place); next != block.ranges.end() && next->is_free) {
    free.erase(&*next);
    join(place, next);
  }
  if (place != block.ranges.begin() && std::prev(place)->is_free) {
    const auto previous = std::prev(place);
    free.erase(&*previous);
    place = join(previous, place);
  }
  entry.value() = &*place;
  free.insert(std::move(entry));
  if (block.empty()) {
    block.emptied = ++emptied_;
    blocks_.splice(blocks_.begin(), blocks_, block.place);
  }
  tell();
}

void BlockCache::drop(std::list<Block>::iterator block, std::list<Block>& dropped) {
  free_[block->size_class].erase(&block->ranges.front());
  reserved_ -= block->bytes;
  dropped.splice(dropped.end(), blocks_, block);
}

BlockCache::Use BlockCache::use() const {
  std::lock_guard lock(mutex_);
  return {live_, reserved_};
}

void BlockCache::tell_use() const {
  std::lock_guard lock(mutex_);
  tell();
}

bool BlockCache::keeps_empty() const {
  std::lock_guard lock(mutex_);
  return std::ranges::any_of(blocks_, [](const Block& block) { return block.empty(); });
}

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
  const auto by = [&](double slack) {
    return shared_slack + static_cast<std::size_t>(slack * peak);
  };
  const std::size_t ample = room / ample_part + reserved_ / ample_part;
  return std::max(by(slack_), std::min(by(ample_slack), ample));
}

// An attempt itself waits for nothing. Where it cannot go on, others have their turn while this
// thread waits, and then it is made anew: what was free may be taken by then, and what was taken
// may be free. It waits for blocks that are empty now. If it waited for later ones too, others who
// take and give blocks could keep it here.
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
