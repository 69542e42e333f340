// The SPIR-V of shaders/*.comp, embedded at build time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace metalmom::gpu {

// Empty when there is no such shader.
std::vector<std::uint32_t> spirv(std::string_view name);

}  // namespace metalmom::gpu
