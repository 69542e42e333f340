#include "gpu/vk/pipelines.hpp"

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

Pipelines::Pipelines(const Device& device) : device_(device) {
  const DeviceFunctions& vk = device.vk;
  const std::vector<std::byte> stored = load_cached(cache_file(device.physical));
  VkPipelineCacheCreateInfo create{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  create.initialDataSize = stored.size();
  create.pInitialData = stored.data();
  VkPipelineCache cache;
  check(vk.create_pipeline_cache(vk.device, &create, nullptr, &cache), "vkCreatePipelineCache");
  cache_ = {vk.device, cache, vk.destroy_pipeline_cache};
}

const Pipeline& Pipelines::get(const Shader& shader, std::size_t n_bindings,
                               std::size_t push_bytes) {
  Key key{std::string(shader.name),
          {shader.constants.begin(), shader.constants.end()},
          n_bindings,
          push_bytes};
  if (shader.n_fft) key.name.append("_").append(std::to_string(shader.n_fft));
  Entry& entry = [&]() -> Entry& {
    std::lock_guard lock(mutex_);
    return entries_[key];
  }();
  std::lock_guard building(entry.building);
  if (entry.pipeline) {
    ++counters().cache_hits;
    return *entry.pipeline;
  }
  ++counters().cache_misses;
  ++counters().pipeline_builds;
  entry.pipeline = build(key);
  unsaved_ = true;
  watch_idle_devices();
  return *entry.pipeline;
}

void Pipelines::save() {
  if (!unsaved_.exchange(false)) return;
  const DeviceFunctions& vk = device_.vk;
  std::size_t bytes = 0;
  if (vk.pipeline_cache_data(vk.device, cache_, &bytes, nullptr) != VK_SUCCESS) return;
  std::vector<std::byte> content(bytes);
  if (vk.pipeline_cache_data(vk.device, cache_, &bytes, content.data()) == VK_SUCCESS)
    store_cached(cache_file(device_.physical), {content.data(), bytes});
}

std::unique_ptr<Pipeline> Pipelines::build(const Key& key) {
  const DeviceFunctions& vk = device_.vk;
  const std::vector<std::uint32_t> words = spirv(key.name);
  if (words.empty()) throw DeviceError("there is no shader named " + key.name);
  static constexpr trace::Site site{"build pipeline", trace::Category::gpu};
  trace::Span span(site);
  if (span.on()) span.arg("shader", trace::intern(key.name));
  auto result = std::make_unique<Pipeline>();
  result->name = key.name;

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
  check(vk.create_pipelines(vk.device, cache_, 1, &create, nullptr, &pipeline), "vkCreateComputePipelines");
  result->pipeline = {vk.device, pipeline, vk.destroy_pipeline};
  return result;
}

}  // namespace metalmom::gpu
