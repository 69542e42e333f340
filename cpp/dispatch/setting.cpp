#include "dispatch/setting.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <system_error>
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

}  // namespace

Setting parse_setting(std::string_view argument, std::string_view name) {
  constexpr auto& sides = EnumNames<Backend>::value;
  const std::size_t colon = name.find(':');
  const auto side = std::ranges::find(sides, name.substr(0, colon));
  Setting setting;
  setting.backend = static_cast<Backend>(side - sides.begin());
  bool is_one = side != sides.end();
  if (is_one && colon != name.npos) {
    const std::string_view index = name.substr(colon + 1);
    const char* const end = index.data() + index.size();
    const auto read = std::from_chars(index.data(), end, setting.device);
    is_one = read.ec == std::errc() && read.ptr == end && setting.device >= 0 &&
             setting.backend != Backend::cpu;
  }
  if (!is_one) throw_parameter(argument, to_text(name), setting_rule);
  return setting;
}

std::string_view side_name(const Setting& setting) {
  return EnumNames<Backend>::value[static_cast<std::size_t>(setting.backend)];
}

std::string setting_name(const Setting& setting) {
  std::string name(side_name(setting));
  return setting.device < 0 ? name : name + ':' + std::to_string(setting.device);
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
