// Compute pipelines, built once for each shader and set of specialisation constants. The driver's
// own cache of compiled code is kept on disk where there is a place for it (gpu/vk/disk_cache.hpp):
// written seconds after a pipeline was built, or when the process ends (gpu/vk/idle.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/shader.hpp"
#include "gpu/vk/vulkan.hpp"

namespace metalmom::gpu {

class Device;

struct Pipeline {
  std::string name;
  Owned<VkDescriptorSetLayout> set_layout;
  Owned<VkPipelineLayout> layout;
  Owned<VkPipeline> pipeline;
};

class Pipelines {
 public:
  explicit Pipelines(const Device& device);

  // The reference stays valid as long as the device. Throws DeviceError for an unknown shader.
  const Pipeline& get(const Shader& shader, std::size_t n_bindings, std::size_t push_bytes);
  // Writes the cache if pipelines were built since it was written.
  void save();

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
    std::unique_ptr<Pipeline> pipeline;
  };
  std::unique_ptr<Pipeline> build(const Key& key);

  const Device& device_;
  std::mutex mutex_;  // guards the map, not what its entries hold
  std::map<Key, Entry> entries_;
  Owned<VkPipelineCache> cache_;
  std::atomic<bool> unsaved_{false};
};

}  // namespace metalmom::gpu
