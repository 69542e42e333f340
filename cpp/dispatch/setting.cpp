#include "dispatch/setting.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "gpu/device.hpp"

namespace metalmom::dispatch {

namespace {

using SettingPtr = std::shared_ptr<const Setting>;

std::atomic<SettingPtr>& default_setting() {
  // A wrong METALMOM_BACKEND is reported by the first call that asks for it.
  static auto* setting = new std::atomic<SettingPtr>([] {
    const char* text = std::getenv("METALMOM_BACKEND");
    return std::make_shared<const Setting>(text && *text ? parse_setting(text) : Setting{});
  }());
  return *setting;
}

thread_local SettingPtr scoped_setting;

// "all", or indices between commas, each of them once. False for anything else.
bool read_devices(std::string_view text, Setting& setting) {
  if (text == "all") return setting.all_devices = true;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data();; ++at) {
    int device = -1;
    at = std::from_chars(at, end, device).ptr;
    if (device < 0 || std::ranges::count(setting.devices, device)) return false;
    setting.devices.push_back(device);
    if (at == end) return true;
    if (*at != ',') return false;
  }
}

}  // namespace

Setting parse_setting(std::string_view name) {
  Setting setting;
  const std::string_view side = name.substr(0, name.find(':'));
  if (side == "cpu") setting.backend = Backend::cpu;
  if (side == "gpu") setting.backend = Backend::gpu;
  const bool has_devices = side.size() < name.size();
  if ((side == "auto" || side == "cpu" || side == "gpu") && !has_devices) return setting;
  if ((side == "auto" || side == "gpu") && read_devices(name.substr(side.size() + 1), setting))
    return setting;
  throw_parameter("backend", to_text(name),
                  "'cpu', or 'auto' or 'gpu', alone or with ':N', ':N,M' (each device once) or ':all'");
}

std::string setting_name(const Setting& setting) {
  constexpr const char* sides[] = {"auto", "cpu", "gpu"};
  std::string name = sides[static_cast<std::size_t>(setting.backend)];
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

SettingPtr current_setting() {
  return scoped_setting ? scoped_setting : default_setting().load(std::memory_order_acquire);
}

SettingPtr set_default_setting(SettingPtr setting) {
  return default_setting().exchange(std::move(setting));
}

SettingPtr set_scoped_setting(SettingPtr setting) {
  return std::exchange(scoped_setting, std::move(setting));
}

}  // namespace metalmom::dispatch
