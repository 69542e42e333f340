#include "gpu/block_cache.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/ceil_div.hpp"
#include "base/sub_sat.hpp"

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

void* BlockCache::Range::memory() const {
  return block->memory.get();
}

bool BlockCache::BySize::operator()(const Range* a, const Range* b) const {
  if (a->bytes != b->bytes) return a->bytes < b->bytes;
  if (a->block != b->block) return a->block->number < b->block->number;
  return a->offset < b->offset;
}

BlockCache::Range* BlockCache::best_fit(std::size_t size_class, std::size_t bytes) const {
  Block none;
  Range wanted{&none, 0, bytes, {}, true, {}};
  const auto found = free_[size_class].lower_bound(&wanted);
  return found == free_[size_class].end() ? nullptr : *found;
}

BlockCache::Range* BlockCache::carve(Range* range, std::size_t bytes) {
  Block& block = *range->block;
  free_[block.size_class].erase(range);
  if (range->bytes > bytes) {
    const auto rest =
        block.ranges.insert(std::next(range->place), {&block, range->offset + bytes,
                                                      range->bytes - bytes, range->busy_until,
                                                      true, {}});
    rest->place = rest;
    range->bytes = bytes;
    free_[block.size_class].insert(&*rest);
  }
  range->is_free = false;
  block.aged = false;
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  return range;
}

std::size_t BlockCache::allowed(std::size_t live) const {
  const std::size_t peak = std::max({live, peak_, peak_before_});
  return shared_slack + static_cast<std::size_t>(slack_ * static_cast<double>(peak));
}

BlockCache::Range* BlockCache::take(std::size_t bytes, std::size_t limit) {
  bytes = align_up(std::max<std::size_t>(bytes, 1));
  const std::size_t size_class = class_of(bytes);
  Range* fitting = best_fit(size_class, bytes);
  const bool too_good = size_class == shared_block.size() && fitting && fitting->block->empty() &&
                        fitting->bytes / wasteful > bytes;
  if (fitting && !too_good) return carve(fitting, bytes);

  if (live_ + bytes <= std::max(peak_, peak_before_))
    slack_ = std::min(slack_ + slack_step, most_slack);
  // First empty blocks are given back if the sum must not grow; then an empty block is cut,
  // whatever its size.
  std::size_t wanted = block_size(size_class, bytes);
  const std::size_t most = std::min(allowed(live_ + bytes), limit);
  if (reserved_ + wanted > most && !fitting)
    shrink(sub_sat(most, wanted), shared_block.size());
  if (fitting && reserved_ + wanted > most) return carve(fitting, bytes);
  // Near the limit a small request takes a block of its own size, not a whole shared block.
  if (reserved_ + wanted > limit) wanted = bytes;
  if (reserved_ + wanted > limit) shrink_to(sub_sat(limit, wanted));
  if (reserved_ + wanted > limit) return nullptr;
  if (wanted > driver_.room()) shrink_to(0);
  Range* range = add_block(size_class, wanted);
  if (!range) {
    shrink_to(0);
    range = add_block(size_class, wanted);
  }
  if (!range && wanted > bytes) range = add_block(size_class, bytes);
  return range ? carve(range, bytes) : nullptr;
}

BlockCache::Range* BlockCache::add_block(std::size_t size_class, std::size_t bytes) {
  std::shared_ptr<void> memory = driver_.make(bytes);
  if (!memory) return nullptr;
  blocks_.emplace_front();
  Block& block = blocks_.front();
  block.memory = std::move(memory);
  block.bytes = bytes;
  block.size_class = size_class;
  block.number = made_++;
  block.place = blocks_.begin();
  block.ranges.push_back({&block, 0, bytes, {}, true, {}});
  Range& whole = block.ranges.front();
  whole.place = block.ranges.begin();
  free_[size_class].insert(&whole);
  reserved_ += bytes;
  return &whole;
}

void BlockCache::give(Range* range, BusyUntil busy_until) {
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
  free.insert(&*place);
  if (block.empty()) blocks_.splice(blocks_.begin(), blocks_, block.place);
}

void BlockCache::drop(std::list<Block>::iterator block) {
  free_[block->size_class].erase(&block->ranges.front());
  reserved_ -= block->bytes;
  blocks_.erase(block);
}

void BlockCache::shrink(std::size_t bytes, std::size_t first_class) {
  for (auto block = blocks_.end(); block != blocks_.begin() && reserved_ > bytes;) {
    --block;
    if (block->size_class < first_class || !block->empty()) continue;
    if (!driver_.wait(block->ranges.front().busy_until)) continue;
    const auto next = std::next(block);
    drop(block);
    block = next;
  }
}

bool BlockCache::keeps_empty() const {
  return std::ranges::any_of(blocks_, [](const Block& block) { return block.empty(); });
}

void BlockCache::age() {
  peak_before_ = peak_;
  peak_ = live_;
  slack_ = least_slack;
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    const auto here = block++;
    if (here->aged && here->empty() && driver_.reached(here->ranges.front().busy_until))
      drop(here);
    else
      here->aged = true;
  }
}

}  // namespace metalmom::gpu
