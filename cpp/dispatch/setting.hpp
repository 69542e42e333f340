// Which backend the caller wants: `backend` and `min_frames` of metalmom.set_config().
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "base/view.hpp"

namespace metalmom::dispatch {

enum class Backend : std::uint8_t { automatic, cpu, gpu };

using MinFrames = std::map<std::string, Index, std::less<>>;

struct Setting {
  Backend backend = Backend::automatic;
  int device = -1;  // an index of gpu::devices(); -1: the engine's choice
  // Per op: the number of frames from which it goes to the GPU, in place of the cost model's
  // choice.
  MinFrames min_frames;
};

// A name of Backend, of which "auto" and "gpu" may name a device: "gpu:1". Throws ParameterError
// for anything else, as a value of `argument`.
Setting parse_setting(std::string_view argument, std::string_view name);
inline constexpr std::string_view setting_rule = "'cpu', 'auto', 'gpu', 'auto:N' or 'gpu:N'";
std::string setting_name(const Setting& setting);
// The same without the device.
std::string_view side_name(const Setting& setting);

// The setting for calls from this thread: that of the innermost scope, else the process's (at first
// METALMOM_BACKEND).
std::shared_ptr<const Setting> current_setting();
// That of METALMOM_BACKEND. Throws ParameterError where it is no setting.
const std::shared_ptr<const Setting>& initial_setting();
// Null: as at the start of the process.
void set_default_setting(std::shared_ptr<const Setting> setting);
// Returns the one before. Null: there is no scope.
std::shared_ptr<const Setting> set_scoped_setting(std::shared_ptr<const Setting> setting);

// In a build without the GPU engine: throws if the GPU was asked for, else says why the CPU.
const char* require_no_gpu_asked();

// The setting of a call, in a thread that works for it.
class SettingScope {
 public:
  explicit SettingScope(std::shared_ptr<const Setting> setting)
      : before_(set_scoped_setting(std::move(setting))) {}
  SettingScope(const SettingScope&) = delete;
  ~SettingScope() { set_scoped_setting(std::move(before_)); }

 private:
  std::shared_ptr<const Setting> before_;
};

}  // namespace metalmom::dispatch

namespace metalmom {

template <>
struct EnumNames<dispatch::Backend> {
  static constexpr std::array<std::string_view, 3> value = {"auto", "cpu", "gpu"};
};

}  // namespace metalmom
