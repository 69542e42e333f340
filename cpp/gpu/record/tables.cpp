#include "gpu/record/tables.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "gpu/run/array.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

namespace {

// Of tables on the device and their keys on the host, which are as large.
constexpr std::size_t max_bytes = std::size_t{64} << 20;

bool is_key(std::string_view key, std::string_view kind, std::span<const std::byte> source) {
  return key.size() == kind.size() + 1 + source.size() && key.starts_with(kind) &&
         std::memcmp(key.data() + kind.size() + 1, source.data(), source.size()) == 0;
}

Allocation upload_table(Device& device, const std::vector<float>& values) {
  Allocation table = device.memory.allocate(values.size() * sizeof(float));
  copy_to_device({&device, table}, values.data());
  return table;
}

}  // namespace

Allocation Tables::get(std::string_view kind, std::span<const std::byte> source,
                       const std::function<std::vector<float>()>& make) {
  {
    // Most tables that are asked for are among the last used: their sources are compared in that
    // order, which takes less time than hashing them.
    std::lock_guard lock(mutex_);
    const auto end =
        std::next(entries_.begin(), std::min<std::ptrdiff_t>(16, std::ssize(entries_)));
    const auto found = std::find_if(
        entries_.begin(), end, [&](const Entry& each) { return is_key(each.key, kind, source); });
    if (found != end) {
      entries_.splice(entries_.begin(), entries_, found);
      return found->table;
    }
  }
  std::string key(kind);
  key.push_back('\0');
  key.append(reinterpret_cast<const char*>(source.data()), source.size());
  {
    std::lock_guard lock(mutex_);
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->table;
    }
  }
  Allocation table = upload_table(device_, make());
  std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key); found != by_key_.end()) return found->second->table;
  bytes_ += table->bytes + key.size();
  entries_.push_front({std::move(key), table});
  by_key_.emplace(entries_.front().key, entries_.begin());
  // Work in flight owns the tables it uses, so an old one may be dropped at any time.
  while (bytes_ > max_bytes && entries_.size() > 1) {
    bytes_ -= entries_.back().table->bytes + entries_.back().key.size();
    by_key_.erase(entries_.back().key);
    entries_.pop_back();
  }
  return table;
}

void Tables::clear() {
  std::lock_guard lock(mutex_);
  by_key_.clear();
  entries_.clear();
  bytes_ = 0;
}

}  // namespace metalmom::gpu
