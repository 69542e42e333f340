// The SPIR-V of shaders/*.comp, embedded at build time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace metalmom::gpu {

// Empty when there is no such shader.
std::span<const std::uint32_t> spirv(std::string_view name);

}  // namespace metalmom::gpu
