// A driver for the cache of blocks that only counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "gpu/vk/block_cache.hpp"

namespace metalmom::testing {

inline constexpr std::size_t mebibyte = std::size_t{1} << 20, unlimited = SIZE_MAX;

// Blocks without memory. The device is `behind` ticks late, until somebody waits for it.
class CountingDriver : public gpu::BlockCache::Driver {
 public:
  std::shared_ptr<void> make(std::size_t bytes) override {
    if (bytes > space) return nullptr;
    ++made;
    return {new int, [this](int* block) {
              ++given_back;
              delete block;
            }};
  }
  std::size_t room() override { return space; }
  bool reached(gpu::BusyUntil until) override {
    return until.own <= waited_for || until.own + behind <= now;
  }
  bool wait(gpu::BusyUntil until) override {
    ++waits;
    waited_for = std::max(waited_for, until.own);
    return true;
  }
  std::size_t made = 0, given_back = 0, waits = 0, space = unlimited;
  gpu::Tick now = 0, behind = 0, waited_for = 0;
};

}  // namespace metalmom::testing
