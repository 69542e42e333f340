#include "dispatch/setting.hpp"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"

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

}  // namespace

Setting parse_setting(std::string_view name) {
  if (name == "auto") return {};
  if (name == "cpu") return {Backend::cpu, -1, {}};
  if (name == "gpu") return {Backend::gpu, -1, {}};
  if (name.starts_with("gpu:")) {
    int device = -1;
    const std::string_view digits = name.substr(4);
    const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), device).ptr;
    if (end == digits.data() + digits.size() && device >= 0) return {Backend::gpu, device, {}};
  }
  throw_parameter("backend", to_text(name), "'auto', 'cpu', 'gpu' or 'gpu:N'");
}

std::string setting_name(const Setting& setting) {
  if (setting.backend == Backend::automatic) return "auto";
  if (setting.backend == Backend::cpu) return "cpu";
  return setting.device < 0 ? "gpu" : "gpu:" + std::to_string(setting.device);
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
