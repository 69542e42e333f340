#include "gpu/run/pieces.hpp"

#include <algorithm>

#include "base/byte_text.hpp"
#include "base/ceil_div.hpp"
#include "base/error.hpp"
#include "gpu/run/scratch.hpp"
#include "gpu/vk/memory.hpp"

namespace metalmom::gpu {

namespace {

bool fits(const PieceBytes& bytes, const CutLimits& limits) {
  return bytes.total() <= limits.piece && bytes.largest <= limits.binding;
}

// The largest n in (low, upper] for which `fits_with(n)` holds, `low` if it holds for none.
// Whatever fits with n must fit with less.
template <class F>
Index largest_fitting(Index low, Index upper, F&& fits_with) {
  while (low < upper) {
    const Index middle = low + (upper - low + 1) / 2;
    if (fits_with(middle))
      low = middle;
    else
      upper = middle - 1;
  }
  return low;
}

}  // namespace

std::size_t clip_bytes(const HostArray& array) {
  return static_cast<std::size_t>(array.rows * array.cols) * array.item_bytes;
}

std::size_t region_bytes(const HostArray& array, const Piece& piece, const Region& region) {
  const Index clips = array.clips_of(piece).n_clips;
  return static_cast<std::size_t>(clips * region.n_rows * region.n_cols) * array.item_bytes;
}

bool computes_nothing(const Task& task) {
  return task.answers().empty() && std::ranges::all_of(task.outputs(), [](const HostArray& array) {
           return array.bytes() == 0;
         });
}

PieceBytes bytes_of(const Task& task, const Piece& piece, bool held) {
  PieceBytes result;
  const auto add = [&](std::size_t& sum, std::size_t bytes) {
    sum += align_up(bytes);
    result.largest = std::max(result.largest, bytes);
  };
  if (held) {
    result.held = static_cast<std::size_t>(piece.n_clips) * clip_bytes(task.inputs()[0]);
    // The binding of the input may begin up to an alignment before the piece's first clip.
    result.largest = result.held + slice_alignment;
  } else {
    for (std::size_t i = 0; i < task.inputs().size(); ++i)
      add(result.in, region_bytes(task.inputs()[i], piece, task.input_region(piece, i)));
  }
  for (std::size_t i = 0; i < task.outputs().size(); ++i)
    add(result.out, region_bytes(task.outputs()[i], piece, task.output_region(piece, i)));
  add(result.carry, task.carry_bytes(piece.n_clips));
  result.scratch = scratch_bytes(task, piece);
  return result;
}

namespace {

// Pieces of whole clips, as many as fit and the target allows, but one at least.
Cut cut_between_clips(const Task& task, const CutLimits& limits) {
  const Index batch = task.batch(), units = task.units();
  const Index clips = largest_fitting(1, batch, [&](Index n) {
    const PieceBytes bytes = bytes_of(task, whole_clips(0, n, units), limits.held);
    return fits(bytes, limits) && bytes.in + bytes.held + bytes.out <= limits.target;
  });
  Cut cut;
  cut.smallest = clips == 1 && (units <= piece_unit_step || task.carry_bytes(1) > 0);
  for (Index clip = 0; clip < batch; clip += clips)
    cut.pieces.push_back(whole_clips(clip, std::min(clips, batch - clip), units));
  return cut;
}

// The least piece that a clip can be cut into; the whole clip if it cannot be cut.
PieceBytes least_piece(const Task& task, const CutLimits& limits) {
  const Index units = task.units(), count = std::min(piece_unit_step, units);
  return bytes_of(task, {0, 1, (units - count) / 2, count, false}, limits.held);
}

[[noreturn]] void refuse_clip(const PieceBytes& least, const CutLimits& limits) {
  const bool has_memory = least.total() <= limits.piece;
  throw DeviceError((has_memory ? "one array of a clip needs " : "one clip needs ") +
                    byte_text(has_memory ? least.largest : least.total()) +
                    " of the device's memory at a time, and " +
                    (has_memory ? "a kernel sees " : "a call has ") +
                    byte_text(has_memory ? limits.binding : limits.piece));
}

// Pieces of one clip each, as many units of it as fit and the target allows. None if not even the
// least fits.
Cut cut_clips(const Task& task, const CutLimits& limits) {
  const Index batch = task.batch(), units = task.units();
  // Bytes are largest in the middle of a clip, where a piece overlaps both its neighbours.
  const Index fitting = largest_fitting(0, ceil_div(units, piece_unit_step), [&](Index n) {
    const Index count = std::min(n * piece_unit_step, units);
    const Piece middle{0, 1, (units - count) / 2, count, false};
    const PieceBytes bytes = bytes_of(task, middle, limits.held);
    return fits(bytes, limits) && (n == 1 || bytes.in + bytes.out <= limits.target);
  });
  if (fitting == 0 || units <= 1) return {};
  Cut cut;
  cut.carried = task.carry_bytes(1) > 0;
  cut.smallest = fitting == 1;
  const Index count = fitting * piece_unit_step;
  for (Index clip = 0; clip < batch; ++clip)
    for (Index unit = 0; unit < units; unit += count)
      cut.pieces.push_back({clip, 1, unit, std::min(count, units - unit), unit + count >= units});
  return cut;
}

}  // namespace

Cut cut_batch(const Task& task, const CutLimits& limits) {
  const Index units = task.units();
  const PieceBytes one = bytes_of(task, whole_clips(0, 1, units), limits.held);
  // A clip is cut if it is too large for one piece; or if it is long and cutting costs nothing, so
  // that its transfers run beside its kernels.
  const bool carries = task.carry_bytes(1) > 0;
  const bool long_clip = !carries && one.in + one.out > 2 * limits.target;
  if (fits(one, limits) && !(units > piece_unit_step && long_clip))
    return cut_between_clips(task, limits);
  Cut cut = cut_clips(task, limits);
  if (cut.pieces.empty()) refuse_clip(units > 1 ? least_piece(task, limits) : one, limits);
  return cut;
}

}  // namespace metalmom::gpu
