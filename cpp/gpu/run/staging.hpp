// Between a host array and the host memory of a piece, which holds a region compactly.
#pragma once

#include "gpu/kernel.hpp"
#include "gpu/run/array.hpp"

namespace metalmom::gpu {

// Bytes that a piece streams in and out. Few, so that the host memory in between stays in the
// processor's cache, and the pieces of all threads together need little of the device; but enough
// to outweigh the 50 us that a submission costs. Halved when memory runs out.
inline constexpr std::size_t streamed_piece_bytes = std::size_t{4} << 20;

// `checked_in`: of float samples, which must be finite (a ParameterError).
enum class Direction { in, checked_in, out };

// A copy of float values, which `look` sees.
void copy_looking(const std::byte* host, std::byte* device, std::size_t bytes, const Look& look);
void copy_region(const HostArray& array, const Piece& piece, const Region& region,
                 std::byte* compact, Direction direction);

}  // namespace metalmom::gpu
