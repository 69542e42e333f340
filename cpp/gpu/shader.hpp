// What a dispatch runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/index.hpp"

namespace metalmom::gpu {

// A compute shader of shaders/ by name, for one size of transform if it is compiled for several,
// with the words of its specialisation constants 0, 1, 2 ... One pipeline is built and kept for
// each combination.
struct Shader {
  std::string_view name;
  Index n_fft = 0;
  std::span<const std::uint32_t> constants = {};
};

struct Groups {
  std::uint32_t x = 1, y = 1, z = 1;
};

// Bytes of push constants that every device takes.
inline constexpr std::size_t most_push_bytes = 128;

}  // namespace metalmom::gpu
