// Between a host array and the host memory of a piece, which holds a region compactly.
#pragma once

#include "gpu/array.hpp"
#include "gpu/kernel.hpp"

namespace metalmom::gpu {

// `checked_in`: of float samples, which must be finite (a ParameterError).
enum class Direction { in, checked_in, out };

// A copy of float values, which `look` sees.
void copy_looking(const std::byte* host, std::byte* device, std::size_t bytes, const Look& look);
void copy_region(const HostArray& array, const Piece& piece, const Region& region,
                 std::byte* compact, Direction direction);

}  // namespace metalmom::gpu
