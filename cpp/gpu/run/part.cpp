#include "gpu/run/part.hpp"

#include "base/error.hpp"
#include "gpu/run/staging.hpp"
#include "gpu/vk/vulkan_device.hpp"

namespace metalmom::gpu {

namespace {

// The clips of a piece in memory that has all clips of an array.
Slice clips_in(const Slice& memory, const HostArray& array, const Piece& of_batch) {
  const Piece piece = array.clips_of(of_batch);
  return {memory.buffer, memory.offset + static_cast<std::size_t>(piece.clip) * clip_bytes(array),
          static_cast<std::size_t>(piece.n_clips) * clip_bytes(array)};
}

}  // namespace

void ActiveWork::fail(const std::exception_ptr& error) {
  std::lock_guard lock(mutex_);
  if (!failed_) work.error = error;
  failed_ = true;
}

const SessionNeed& Part::need() {
  if (known_need) return *known_need;
  SessionNeed& need = known_need.emplace();
  const Task& task = work.task;
  need.follows = follows;
  if (work.kept && uploads)
    need.upload = align_up(static_cast<std::size_t>(piece.n_clips) * clip_bytes(task.inputs()[0]));
  if (computes) {
    const PieceBytes bytes = bytes_of(task, piece, work.kept);
    need.workspace = bytes.total() - (work.carries.empty() ? 0 : bytes.carry);
    need.upload += bytes.in;
    need.download = bytes.out;
  }
  if (answers) need.download += answer_bytes(task);
  return need;
}

void Part::record(CommandSession& session) {
  if (work.has_failed()) return;
  try {
    record_work(session);
  } catch (const ParameterError&) {
    work.fail(std::current_exception());
  }
}

void Part::record_work(CommandSession& session) {
  Piece reads = piece;
  const std::vector<Slice> in = inputs(session, reads);
  if (begins) {
    work.shared.emplace(work.device, work.task);
    work.shared->record_first(session);
  } else if (work.shared) {
    work.shared->own(session);
  }
  std::vector<Slice> out;
  if (computes) {
    out = outputs(session);
    Slices slices{in, out, carry(session)};
    if (work.shared) slices.shared = work.shared->slices();
    work.task.record(session, reads, slices);
  }
  first_download = session.downloads().size();
  if (work.outputs.empty())
    for (const Slice& each : out)
      if (each.bytes) session.download(each);
  if (answers) work.shared->record_last(session);
}

// The arrays that kernels read. For kept audio, sets `reads.held` to the samples in memory.
std::vector<Slice> Part::inputs(CommandSession& session, Piece& reads) const {
  const auto arrays = work.task.inputs();
  std::vector<Slice> in;
  if (!work.inputs.empty()) {
    in = resident(session, work.inputs, arrays);
  } else if (work.kept && (uploads || computes)) {
    const Allocation& memory = work.kept->data.memory;
    const Slice clips = clips_in(*memory, arrays[0], piece);
    session.own(memory);
    if (uploads) upload(session, 0, {0, arrays[0].rows, 0, arrays[0].cols}, clips);
    // A binding must begin at an aligned offset, so it may begin before the clips.
    const std::size_t before = clips.offset % slice_alignment;
    reads.held = {0, 1, -static_cast<Index>(before / sizeof(float)), arrays[0].cols};
    in.push_back({clips.buffer, clips.offset - before, clips.bytes + before});
  } else if (computes) {
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      const Region region = work.task.input_region(piece, i);
      in.push_back(session.scratch(region_bytes(arrays[i], piece, region)));
      upload(session, i, region, in.back());
    }
  }
  return in;
}

void Part::upload(CommandSession& session, std::size_t i, const Region& region,
                  const Slice& target) const {
  if (target.bytes == 0) return;
  const HostArray& array = work.task.inputs()[i];
  copy_region(array, piece, region, session.upload(target),
              array.data == work.checked ? Direction::checked_in : Direction::in);
}

// The arrays that kernels write.
std::vector<Slice> Part::outputs(CommandSession& session) const {
  const auto arrays = work.task.outputs();
  if (!work.outputs.empty()) return resident(session, work.outputs, arrays);
  std::vector<Slice> out;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const Region region = work.task.output_region(piece, i);
    out.push_back(session.scratch(region_bytes(arrays[i], piece, region)));
  }
  return out;
}

// The piece's clips in arrays that are on the device. The last ones may be missing, where a kernel
// does without.
std::vector<Slice> Part::resident(CommandSession& session, std::span<const DeviceData> data,
                                  std::span<const HostArray> arrays) const {
  std::vector<Slice> slices;
  for (std::size_t i = 0; i < data.size(); ++i) {
    session.use(data[i].memory);
    slices.push_back(clips_in(*data[i].memory, arrays[i], piece));
  }
  return slices;
}

// The memory that the pieces of a clip pass on, from its first piece to its last. One thread
// records all of them.
Slice Part::carry(CommandSession& session) const {
  const std::size_t bytes = work.task.carry_bytes(piece.n_clips);
  if (bytes == 0) return {};
  if (work.carries.empty()) return session.scratch(bytes);
  Allocation& carry = work.carries[static_cast<std::size_t>(piece.clip)];
  if (!carry) carry = work.device.memory.allocate(bytes);
  const Slice slice = *carry;
  session.own(carry);
  if (piece.last) carry.reset();
  return slice;
}

void Part::store(const CommandSession& session) const {
  if (!first_download || work.has_failed()) return;
  auto downloads = std::span(session.downloads()).subspan(*first_download);
  const auto arrays = work.task.outputs();
  for (std::size_t i = 0; computes && work.outputs.empty() && i < arrays.size(); ++i) {
    const Region region = work.task.output_region(piece, i);
    if (region_bytes(arrays[i], piece, region) == 0) continue;
    copy_region(arrays[i], piece, region, downloads.front(), Direction::out);
    downloads = downloads.subspan(1);
  }
  if (!answers) return;
  work.shared->take_answers(downloads);
  work.shared.reset();
}

}  // namespace metalmom::gpu
