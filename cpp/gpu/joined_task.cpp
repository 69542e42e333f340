#include "gpu/joined_task.hpp"

#include <numeric>

#include "gpu/memory.hpp"

namespace metalmom::gpu {

namespace {

double bytes_of(std::span<const HostArray> arrays) {
  return std::accumulate(arrays.begin(), arrays.end(), 0.0, [](double sum, const HostArray& array) {
    return sum + static_cast<double>(array.bytes());
  });
}

}  // namespace

void JoinedTask::add(std::unique_ptr<Task> part) {
  for (const HostArray& array : part->outputs()) {
    outputs_.push_back(array);
    places_.push_back({parts_.size(), static_cast<std::size_t>(&array - part->outputs().data())});
  }
  parts_.push_back(std::move(part));
}

Region JoinedTask::output_region(const Piece& piece, std::size_t i) const {
  return parts_[places_[i].part]->output_region(piece, places_[i].output);
}

std::size_t JoinedTask::scratch_bytes(const Piece& piece) const {
  std::size_t bytes = 0;
  for (const auto& part : parts_) bytes += align_up(part->scratch_bytes(piece));
  return bytes;
}

std::size_t JoinedTask::carry_bytes(Index n_clips) const {
  std::size_t bytes = 0;
  for (const auto& part : parts_) bytes += align_up(part->carry_bytes(n_clips));
  return bytes;
}

void JoinedTask::record(Session& session, const Piece& piece, const Slices& slices) const {
  std::size_t output = 0, carried = 0;
  for (const auto& part : parts_) {
    const std::size_t bytes = part->carry_bytes(piece.n_clips);
    Slice carry = bytes ? slices.carry : Slice{};
    carry.offset += carried;
    carry.bytes = bytes;
    carried += align_up(bytes);
    const std::size_t count = part->outputs().size();
    part->record(session, piece, {slices.in, slices.out.subspan(output, count), carry});
    output += count;
  }
}

double JoinedTask::in_bytes() const {
  return bytes_of(inputs());
}
double JoinedTask::out_bytes() const {
  return bytes_of(outputs_);
}

}  // namespace metalmom::gpu
