#include "gpu/vk/pipelines.hpp"

#include <algorithm>
#include <cstdio>

#include "base/counters.hpp"
#include "gpu/vk/disk_cache.hpp"
#include "gpu/vk/idle.hpp"
#include "gpu/vk/shaders.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "trace/trace.hpp"

namespace metalmom::gpu {

namespace {

// One file for each driver build: its compiled code is of no use to another.
std::string cache_file(const PhysicalDevice& physical) {
  char version[16];
  std::snprintf(version, sizeof version, "%08x", physical.driver_version);
  return "pipelines-" + physical.pipeline_cache_uuid + "-" + version + ".bin";
}

}  // namespace

Pipelines::Pipelines(const Device& device)
    : device_(device), cache_(make_cache(load_cached(cache_file(device.physical)))) {}

Pipelines::Cache Pipelines::make_cache(std::span<const std::byte> stored) const {
  const DeviceFunctions& vk = device_.vk;
  VkPipelineCacheCreateInfo create{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  create.initialDataSize = stored.size();
  create.pInitialData = stored.data();
  VkPipelineCache cache;
  check(vk.create_pipeline_cache(vk.device, &create, nullptr, &cache), "vkCreatePipelineCache");
  return std::make_shared<const Owned<VkPipelineCache>>(vk.device, cache,
                                                        vk.destroy_pipeline_cache);
}

Pipelines::Cache Pipelines::cache() {
  std::lock_guard lock(mutex_);
  return cache_;
}

std::size_t Pipelines::count() {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

std::shared_ptr<const Pipeline> Pipelines::get(const Shader& shader, std::size_t n_bindings,
                                               std::size_t push_bytes) {
  Key key{std::string(shader.name),
          {shader.constants.begin(), shader.constants.end()},
          n_bindings,
          push_bytes};
  if (shader.n_fft) key.name.append("_").append(std::to_string(shader.n_fft));
  std::shared_ptr<Entry> dropped;  // destroyed without the lock
  const std::shared_ptr<Entry> entry = [&] {
    std::lock_guard lock(mutex_);
    auto place = entries_.find(key);
    if (place == entries_.end()) place = entries_.emplace(key, std::make_shared<Entry>()).first;
    const std::shared_ptr<Entry> found = place->second;
    found->used = ++uses_;
    if (entries_.size() > most_pipelines) {
      const auto oldest = std::ranges::min_element(
          entries_, {}, [](const auto& each) { return each.second->used; });
      dropped = std::move(oldest->second);
      entries_.erase(oldest);
    }
    return found;
  }();
  std::lock_guard building(entry->building);
  if (entry->pipeline) {
    ++counters().cache_hits;
    return entry->pipeline;
  }
  ++counters().cache_misses;
  ++counters().pipeline_builds;
  entry->pipeline = build(key);
  unsaved_ = true;
  watch_idle_devices();
  return entry->pipeline;
}

void Pipelines::save(std::size_t most_bytes) {
  if (!unsaved_.exchange(false)) return;
  const DeviceFunctions& vk = device_.vk;
  const Cache cache = this->cache();
  std::size_t bytes = 0;
  if (vk.pipeline_cache_data(vk.device, *cache, &bytes, nullptr) != VK_SUCCESS) return;
  if (bytes > most_bytes) {
    Cache fresh = make_cache({});
    std::lock_guard lock(mutex_);
    cache_ = std::move(fresh);
    return;
  }
  std::vector<std::byte> content(bytes);
  if (vk.pipeline_cache_data(vk.device, *cache, &bytes, content.data()) == VK_SUCCESS)
    store_cached(cache_file(device_.physical), {content.data(), bytes});
}

std::shared_ptr<const Pipeline> Pipelines::build(const Key& key) {
  const DeviceFunctions& vk = device_.vk;
  const std::vector<std::uint32_t> words = spirv(key.name);
  if (words.empty()) throw DeviceError("there is no shader named " + key.name);
  static constexpr trace::Site site{"build pipeline", trace::Category::gpu};
  trace::Span span(site);
  auto result = std::make_shared<Pipeline>();
  result->name = trace::intern(key.name);
  if (span.on()) span.arg("shader", result->name);

  std::vector<VkDescriptorSetLayoutBinding> bindings(key.n_bindings);
  for (std::uint32_t i = 0; i < bindings.size(); ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set_create{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
  set_create.bindingCount = static_cast<std::uint32_t>(bindings.size());
  set_create.pBindings = bindings.data();
  VkDescriptorSetLayout set_layout;
  check(vk.create_set_layout(vk.device, &set_create, nullptr, &set_layout),
        "vkCreateDescriptorSetLayout");
  result->set_layout = {vk.device, set_layout, vk.destroy_set_layout};

  const VkPushConstantRange push{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                 static_cast<std::uint32_t>(key.push_bytes)};
  VkPipelineLayoutCreateInfo layout_create{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layout_create.setLayoutCount = 1;
  layout_create.pSetLayouts = &set_layout;
  layout_create.pushConstantRangeCount = 1;
  layout_create.pPushConstantRanges = &push;
  VkPipelineLayout layout;
  check(vk.create_pipeline_layout(vk.device, &layout_create, nullptr, &layout),
        "vkCreatePipelineLayout");
  result->layout = {vk.device, layout, vk.destroy_pipeline_layout};

  VkShaderModuleCreateInfo module_create{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  module_create.codeSize = words.size() * sizeof(std::uint32_t);
  module_create.pCode = words.data();
  VkShaderModule module;
  check(vk.create_shader(vk.device, &module_create, nullptr, &module), "vkCreateShaderModule");
  const Owned<VkShaderModule> owned_module(vk.device, module, vk.destroy_shader);

  std::vector<VkSpecializationMapEntry> entries(key.constants.size());
  for (std::uint32_t i = 0; i < entries.size(); ++i) entries[i] = {i, 4 * i, 4};
  const VkSpecializationInfo specialization{static_cast<std::uint32_t>(entries.size()),
                                            entries.data(), 4 * entries.size(),
                                            key.constants.data()};
  VkComputePipelineCreateInfo create{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = module;
  create.stage.pName = "main";
  create.stage.pSpecializationInfo = &specialization;
  create.layout = layout;
  VkPipeline pipeline;
  check(vk.create_pipelines(vk.device, *cache(), 1, &create, nullptr, &pipeline),
        "vkCreateComputePipelines");
  result->pipeline = {vk.device, pipeline, vk.destroy_pipeline};
  return result;
}

}  // namespace metalmom::gpu
