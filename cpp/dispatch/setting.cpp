#include "dispatch/setting.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "gpu/device.hpp"

namespace metalmom::dispatch {

namespace {

using SettingPtr = std::shared_ptr<const Setting>;

// Null where nobody has set it.
std::atomic<SettingPtr>& default_setting() {
  static auto* setting = new std::atomic<SettingPtr>;
  return *setting;
}

thread_local SettingPtr scoped_setting;

// "all", or indices between commas. False for anything else.
bool read_devices(std::string_view text, Setting& setting) {
  if (text == "all") return setting.all_devices = true;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    int device = -1;
    at = std::from_chars(at, end, device).ptr;
    if (device < 0) return false;
    setting.devices.push_back(device);
    if (at == end) return true;
    if (*at != ',') return false;
  }
}

}  // namespace

Setting parse_setting(std::string_view argument, std::string_view name) {
  constexpr auto& sides = EnumNames<Backend>::value;
  const std::size_t colon = name.find(':');
  const auto side = std::ranges::find(sides, name.substr(0, colon));
  Setting setting;
  setting.backend = static_cast<Backend>(side - sides.begin());
  if (side != sides.end() && colon == name.npos) return setting;
  if (side == sides.end() || setting.backend == Backend::cpu ||
      !read_devices(name.substr(colon + 1), setting))
    throw_parameter(argument, to_text(name), setting_rule);
  const std::set<int> once(setting.devices.begin(), setting.devices.end());
  if (once.size() < setting.devices.size())
    throw_parameter(argument, to_text(name), "a list that names each device once");
  return setting;
}

std::string_view side_name(const Setting& setting) {
  return EnumNames<Backend>::value[static_cast<std::size_t>(setting.backend)];
}

std::string setting_name(const Setting& setting) {
  std::string name(side_name(setting));
  if (setting.all_devices) return name + ":all";
  for (char before = ':'; const int device : setting.devices) {
    name += before + std::to_string(device);
    before = ',';
  }
  return name;
}

std::vector<int> device_indices(const Setting& setting) {
  if (setting.all_devices)
    if (auto usable = gpu::usable_devices(); !usable.empty()) return usable;
  return setting.devices.empty() ? std::vector{-1} : setting.devices;
}

const SettingPtr& initial_setting() {
  // A wrong METALMOM_BACKEND is reported by the first call that asks for it.
  static const auto* setting = new SettingPtr([] {
    constexpr const char* variable = "METALMOM_BACKEND";
    const char* text = std::getenv(variable);
    return std::make_shared<const Setting>(text && *text ? parse_setting(variable, text)
                                                         : Setting{});
  }());
  return *setting;
}

SettingPtr current_setting() {
  if (scoped_setting) return scoped_setting;
  auto setting = default_setting().load(std::memory_order_acquire);
  return setting ? setting : initial_setting();
}

const char* require_no_gpu_asked() {
  if (current_setting()->backend == Backend::gpu) gpu::throw_no_device();
  return "built without the GPU engine";
}

void set_default_setting(SettingPtr setting) {
  default_setting().store(std::move(setting));
}

SettingPtr set_scoped_setting(SettingPtr setting) {
  return std::exchange(scoped_setting, std::move(setting));
}

}  // namespace metalmom::dispatch
