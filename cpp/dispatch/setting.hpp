// Which backend the caller wants: what metalmom.backend() sets.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/view.hpp"

namespace metalmom::dispatch {

enum class Backend : std::uint8_t { automatic, cpu, gpu };

struct Setting {
  Backend backend = Backend::automatic;
  int device = -1;  // an index of gpu::devices(); -1: the engine's choice
  // Frames from which an op goes to the GPU, instead of what the cost model says.
  std::map<std::string, Index, std::less<>> min_frames;
};

// "auto", "cpu", "gpu" or "gpu:N"; throws ParameterError for anything else.
Setting parse_setting(std::string_view name);
std::string setting_name(const Setting& setting);

// For calls from this thread: the innermost scope's, else the process default (METALMOM_BACKEND at
// the start).
std::shared_ptr<const Setting> current_setting();
// Both answer with what was set before; a scope of null is none.
std::shared_ptr<const Setting> set_default_setting(std::shared_ptr<const Setting> setting);
std::shared_ptr<const Setting> set_scoped_setting(std::shared_ptr<const Setting> setting);

}  // namespace metalmom::dispatch
