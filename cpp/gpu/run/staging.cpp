#include "gpu/run/staging.hpp"

#include <algorithm>
#include <cstring>

#include "base/workers.hpp"
#include "gpu/run/pieces.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {

namespace {

// Bytes that stay in a core's cache between the look at them and the copy.
constexpr std::size_t seen_bytes = std::size_t{128} << 10;

void widen(std::byte* host, const std::byte* device, std::size_t bytes) {
  const auto* const from = reinterpret_cast<const float*>(device);
  auto* const to = reinterpret_cast<double*>(host);
  std::copy(from, from + bytes / sizeof(float), to);
}

}  // namespace

void copy_looking(const std::byte* host, std::byte* device, std::size_t bytes, const Look& look) {
  for (std::size_t at = 0; at < bytes; at += seen_bytes) {
    const std::size_t count = std::min(seen_bytes, bytes - at);
    look({reinterpret_cast<const float*>(host + at), count / sizeof(float)});
    std::memcpy(device + at, host + at, count);
  }
}

void copy_region(const HostArray& array, const Piece& of_batch, const Region& region,
                 std::byte* compact, Direction direction) {
  const Piece piece = array.clips_of(of_batch);
  const std::size_t item = array.host_item_bytes();
  const auto move = [&](std::byte* host, std::byte* device, std::size_t bytes) {
    if (direction == Direction::in)
      std::memcpy(device, host, bytes);
    else if (direction == Direction::checked_in)
      copy_looking(host, device, bytes, &ops::require_finite<float>);
    else if (array.is_widened)
      widen(host, device, bytes);
    else
      std::memcpy(host, device, bytes);
  };
  const auto place = [&](Index clip, Index row) {
    return static_cast<std::byte*>(array.data) +
           static_cast<std::size_t>((clip * array.rows + row) * array.cols + region.col) * item;
  };
  const bool whole_rows = region.n_cols == array.cols;
  const bool whole_clips = whole_rows && region.n_rows == array.rows;
  // The longest contiguous run: all clips, one clip's rows, or one row.
  const std::size_t row_bytes = static_cast<std::size_t>(region.n_cols) * array.item_bytes;
  if (whole_clips) {
    std::byte* host = place(piece.clip, 0);
    const auto bytes = static_cast<Index>(region_bytes(array, piece, region));
    const Index scale = static_cast<Index>(item / array.item_bytes);
    parallel_for(bytes, Index{1} << 18, [&](Index first, Index last) {
      move(host + first * scale, compact + first, static_cast<std::size_t>(last - first));
    });
    return;
  }
  const Index runs = piece.n_clips * (whole_rows ? 1 : region.n_rows);
  const std::size_t run_bytes =
      whole_rows ? row_bytes * static_cast<std::size_t>(region.n_rows) : row_bytes;
  for (Index run = 0; run < runs; ++run) {
    const Index clip = whole_rows ? run : run / region.n_rows;
    const Index row = whole_rows ? 0 : run % region.n_rows;
    move(place(piece.clip + clip, region.row + row),
         compact + static_cast<std::size_t>(run) * run_bytes, run_bytes);
  }
}

}  // namespace metalmom::gpu
