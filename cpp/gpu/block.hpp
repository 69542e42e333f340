// One piece of device-local memory that slices are cut from.
#pragma once

#include <iterator>
#include <map>

#include "gpu/memory.hpp"

namespace metalmom::gpu {

// A first-fit allocator over one buffer; the free ranges by offset, neighbours joined.
struct Block {
  Block(const Device& device, std::size_t bytes, std::uint32_t type)
      : buffer(device, bytes, type, false), free{{0, bytes}} {}

  bool empty() const { return free.size() == 1 && free.begin()->second == buffer.bytes(); }
  bool take(std::size_t bytes, Slice& slice) {
    for (auto range = free.begin(); range != free.end(); ++range) {
      const auto [offset, size] = *range;
      if (size < bytes) continue;
      free.erase(range);
      if (size > bytes) free.emplace(offset + bytes, size - bytes);
      slice = {&buffer, offset, bytes};
      return true;
    }
    return false;
  }
  void give(std::size_t offset, std::size_t bytes) {
    auto next = free.upper_bound(offset);
    if (next != free.end() && next->first == offset + bytes) {
      bytes += next->second;
      next = free.erase(next);
    }
    if (next != free.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == offset) {
        previous->second += bytes;
        return;
      }
    }
    free.emplace(offset, bytes);
  }

  DeviceBuffer buffer;
  std::map<std::size_t, std::size_t> free;
};

}  // namespace metalmom::gpu
