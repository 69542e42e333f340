// Constant tables on the device (windows, twiddles, bases), each uploaded once and found again by
// what it was derived from.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/vk/memory.hpp"

namespace metalmom::gpu {

class Tables {
 public:
  explicit Tables(Device& device) : device_(device) {}

  Allocation get(std::string_view kind, std::span<const std::byte> source,
                 const std::function<std::vector<float>()>& make);
  // Work in flight keeps the tables it uses.
  void clear();

 private:
  struct Entry {
    std::string key;
    Allocation table;
  };
  Device& device_;
  std::mutex mutex_;          // guards what follows; tables are made and uploaded without it
  std::list<Entry> entries_;  // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;
  std::size_t bytes_ = 0;
};

}  // namespace metalmom::gpu
