#include "gpu/run/joined_task.hpp"

#include <algorithm>

namespace metalmom::gpu {

void JoinedTask::add(std::unique_ptr<Task> part) {
  for (const HostArray& array : part->outputs()) {
    outputs_.push_back(array);
    places_.push_back({parts_.size(), static_cast<std::size_t>(&array - part->outputs().data())});
  }
  units_ = std::max(units_, part->units());
  parts_.push_back(std::move(part));
}

// Those units of a part that begin in the piece's time, so that each unit is in exactly one piece.
Piece JoinedTask::part_of(const Piece& piece, const Task& part) const {
  const Index units = part.units();
  Piece own = piece;
  own.unit = piece.unit * units / units_;
  own.n_units = (piece.last ? units : (piece.unit + piece.n_units) * units / units_) - own.unit;
  return own;
}

Region JoinedTask::input_region(const Piece& piece, std::size_t i) const {
  Region all;
  for (const auto& part : parts_) {
    const Piece own = part_of(piece, *part);
    const Region region = own.n_units ? part->input_region(own, i) : Region{};
    if (region.n_cols == 0) continue;
    const Index first = all.n_cols ? std::min(all.col, region.col) : region.col;
    const Index last = std::max(all.col + all.n_cols, region.col + region.n_cols);
    all = {region.row, region.n_rows, first, last - first};
  }
  return all;
}

Region JoinedTask::output_region(const Piece& piece, std::size_t i) const {
  const Task& part = *parts_[places_[i].part];
  const Piece own = part_of(piece, part);
  return own.n_units ? part.output_region(own, places_[i].output) : Region{};
}

std::size_t JoinedTask::carry_bytes(Index n_clips) const {
  std::size_t bytes = 0;
  for (const auto& part : parts_) bytes += align_up(part->carry_bytes(n_clips));
  return bytes;
}

void JoinedTask::record(Session& session, const Piece& piece, const Slices& slices) const {
  std::size_t output = 0, carried = 0, shared = 0;
  for (const auto& part : parts_) {
    const std::size_t bytes = part->carry_bytes(piece.n_clips);
    Slice carry = bytes ? slices.carry : Slice{};
    carry.offset += carried;
    carry.bytes = bytes;
    carried += align_up(bytes);
    const std::size_t count = part->outputs().size(), n_answers = part->answers().size();
    Piece own = part_of(piece, *part);
    if (own.held.n_rows == 0) own.held = input_region(piece, 0);
    if (own.n_units)
      part->record(session, own,
                   {slices.in, slices.out.subspan(output, count), carry,
                    slices.shared.subspan(shared, n_answers)});
    output += count;
    shared += n_answers;
  }
}

std::vector<const BatchAnswer*> JoinedTask::answers() const {
  std::vector<const BatchAnswer*> all;
  for (const auto& part : parts_)
    for (const BatchAnswer* each : part->answers()) all.push_back(each);
  return all;
}

}  // namespace metalmom::gpu
