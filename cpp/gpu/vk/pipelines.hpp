// Compute pipelines, built once for each shader and set of specialisation constants. Only so many
// are kept: the constants of a filterbank depend on its size, and sizes have no end. The driver's
// own cache of compiled code is kept on disk where there is a place for it (gpu/vk/disk_cache.hpp):
// written seconds after a pipeline was built, or when the process ends (gpu/vk/idle.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "gpu/shader.hpp"
#include "gpu/vk/vulkan.hpp"

namespace metalmom::gpu {

class Device;

struct Pipeline {
  const char* name = nullptr;  // interned: traces show it later
  Owned<VkDescriptorSetLayout> set_layout;
  Owned<VkPipelineLayout> layout;
  Owned<VkPipeline> pipeline;
};

class Pipelines {
 public:
  // Twice as many as all examples of all kernels need. The one used longest ago leaves first.
  static constexpr std::size_t most_pipelines = 256;
  // Of the driver's cache: thousands of pipelines.
  static constexpr std::size_t most_cache_bytes = std::size_t{64} << 20;

  explicit Pipelines(const Device& device);

  // Whoever records it keeps it until the work is done. Throws DeviceError for an unknown shader.
  std::shared_ptr<const Pipeline> get(const Shader& shader, std::size_t n_bindings,
                                      std::size_t push_bytes);
  // Writes the cache if pipelines were built since it was written. One of more bytes is left, and
  // an empty one is begun.
  void save(std::size_t most_bytes = most_cache_bytes);
  std::size_t count();

 private:
  struct Key {
    std::string name;
    std::vector<std::uint32_t> constants;
    std::size_t n_bindings, push_bytes;
    auto operator<=>(const Key&) const = default;
  };
  struct Entry {
    std::mutex
        building;  // held for the 0.2 s that a driver may take: only those who need this one wait
    std::shared_ptr<const Pipeline> pipeline;
    std::uint64_t used = 0;  // the number of its last use, guarded by mutex_
  };
  using Cache = std::shared_ptr<const Owned<VkPipelineCache>>;
  Cache make_cache(std::span<const std::byte> stored) const;
  Cache cache();
  std::shared_ptr<const Pipeline> build(const Key& key);

  const Device& device_;
  std::mutex mutex_;  // guards what follows, not what entries hold
  std::map<Key, std::shared_ptr<Entry>> entries_;
  std::uint64_t uses_ = 0;
  Cache cache_;
  std::atomic<bool> unsaved_{false};
};

}  // namespace metalmom::gpu
