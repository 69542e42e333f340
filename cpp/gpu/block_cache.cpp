// The ranges of blocks that are there: cut, joined, found.
#include "gpu/block_cache.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace metalmom::gpu {

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
    rest.push_back({&block, range->offset + bytes, range->bytes - bytes, range->busy_until, true,
                    {}, {}});
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

}  // namespace metalmom::gpu
