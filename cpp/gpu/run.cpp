#include "gpu/run.hpp"

#include <algorithm>
#include <numeric>

#include "base/workers.hpp"
#include "gpu/pieces.hpp"
#include "gpu/ring.hpp"
#include "gpu/session_pool.hpp"
#include "gpu/staging.hpp"
#include "ops/op.hpp"

namespace metalmom::gpu {

namespace {

// What a piece streams in and out. Small, so that the host memory it goes through stays in the
// processor's cache and the pieces of all threads together do not need much of the device; large
// enough to outweigh the 50 us that a submission costs. Halved when memory runs out.
constexpr std::size_t target_bytes = std::size_t{4} << 20;

// Of all pieces that are under way together: with the host memory beside it what the session pool
// keeps from call to call.
constexpr std::size_t in_flight_bytes = std::size_t{384} << 20;

// Of one call's intermediate results on device arrays.
constexpr std::size_t scratch_bytes = std::size_t{512} << 20;

// The slices of a piece, taken from the session's memory.
struct PieceMemory {
  std::vector<Slice> in, out;
  Slice carry;
  Slices slices() const { return {in, out, carry}; }
};

class Stream {
 public:
  Stream(Device& device, const Task& task, Cut cut, std::span<const float> unchecked)
      : device_(device), task_(task), cut_(std::move(cut)), carries_(cut_.first.size()) {
    if (unchecked.empty()) return;
    // Samples that no frame reads are not copied, and must be finite all the same.
    if (copies_all(unchecked.data()))
      checked_ = unchecked.data();
    else
      ops::require_finite(unchecked);
  }

  void run(int workers, int depth) {
    run_ring(
        device_, {cut_.first, workers, depth},
        [&](CommandSession& session, Index item) { start(session, item); },
        [&](CommandSession& session, Index item) { finish(session, item); });
  }

 private:
  bool copies_all(const void* data) const {
    for (std::size_t i = 0; i < task_.inputs().size(); ++i)
      if (const HostArray& array = task_.inputs()[i]; array.data == data)
        return std::all_of(cut_.pieces.begin(), cut_.pieces.end(), [&](const Piece& piece) {
          const Region region = task_.input_region(piece, i);
          return region.n_rows == array.rows && region.n_cols == array.cols;
        });
    return false;
  }

  void start(CommandSession& session, Index item) {
    const Piece& piece = cut_.pieces[static_cast<std::size_t>(item)];
    const PieceBytes bytes = bytes_of(task_, piece);
    session.begin({.workspace = bytes.total() - (cut_.carried ? bytes.carry : 0),
                   .upload = bytes.in,
                   .download = bytes.out,
                   .overlapped = cut_.pieces.size() > 1,
                   .follows = cut_.carried});
    PieceMemory memory;
    for (std::size_t i = 0; i < task_.inputs().size(); ++i) {
      const HostArray& array = task_.inputs()[i];
      const Region region = task_.input_region(piece, i);
      memory.in.push_back(session.scratch(region_bytes(array, piece, region)));
      if (memory.in.back().bytes == 0) continue;
      copy_region(array, piece, region, session.upload(memory.in.back()),
                  array.data == checked_ ? Direction::checked_in : Direction::in);
    }
    for (std::size_t i = 0; i < task_.outputs().size(); ++i)
      memory.out.push_back(
          session.scratch(region_bytes(task_.outputs()[i], piece, task_.output_region(piece, i))));
    if (bytes.carry) memory.carry = carry_of(session, item, bytes.carry);
    task_.record(session, piece, memory.slices());
    for (const Slice& out : memory.out)
      if (out.bytes) session.download(out);
    session.submit();
  }

  void finish(CommandSession& session, Index item) {
    const Piece& piece = cut_.pieces[static_cast<std::size_t>(item)];
    auto host = session.downloads().begin();
    for (std::size_t i = 0; i < task_.outputs().size(); ++i) {
      const Region region = task_.output_region(piece, i);
      if (region_bytes(task_.outputs()[i], piece, region))
        copy_region(task_.outputs()[i], piece, region, *host++, Direction::out);
    }
  }

  // Kept from the first piece of a cut clip to the last; one worker has all of them.
  Slice carry_of(CommandSession& session, Index item, std::size_t bytes) {
    if (!cut_.carried) return session.scratch(bytes);
    const auto job = std::upper_bound(cut_.first.begin(), cut_.first.end(), item) - 1;
    Allocation& carry = carries_[static_cast<std::size_t>(job - cut_.first.begin())];
    if (!carry) carry = device_.memory.allocate(bytes);
    const Slice slice = *carry;
    session.own(carry);
    if (item + 1 == job[1]) carry.reset();
    return slice;
  }

  Device& device_;
  const Task& task_;
  const Cut cut_;
  const void* checked_ = nullptr;  // the input that is looked at while it is copied
  std::vector<Allocation> carries_;
};

}  // namespace

void run_streamed(Device& device, const Task& task, std::span<const float> unchecked) {
  if (task.outputs()[0].batch == 0) return;
  for (std::size_t target = target_bytes;; target /= 2) {
    const std::size_t budget = device.memory.available() / 3;
    Cut cut = cut_batch(task, {.binding = device.physical.info.limits.storage_range,
                               .piece = std::min(budget, device.physical.max_allocation),
                               .target = target});
    const PieceBytes largest = bytes_of(task, cut.pieces[cut.pieces.size() / 2]);
    const auto in_flight = std::clamp<std::size_t>(
        std::min(budget, in_flight_bytes) / std::max<std::size_t>(largest.total(), 1), 1,
        2 * static_cast<std::size_t>(thread_count()));
    const bool smallest = cut.smallest;
    try {
      Stream(device, task, std::move(cut), unchecked)
          .run(static_cast<int>((in_flight + 1) / 2), in_flight > 1 ? 2 : 1);
      return;
    } catch (const OutOfDeviceMemory&) {
      // Somebody else may hold the memory: again, in smaller pieces and with nothing kept.
      device.sessions->drain();
      device.sessions->trim();
      device.memory.trim();
      if (smallest || target < 4096) throw;
    }
  }
}

namespace {

std::size_t clip_bytes(const HostArray& array) {
  return static_cast<std::size_t>(array.rows * array.cols) * array.item_bytes;
}

// So many clips that every array's next one begins where the device can bind it.
Index aligned_clips(const Device& device, const Task& task) {
  const std::size_t alignment = device.physical.bind_alignment;
  std::size_t clips = 1;
  for (const auto arrays : {task.inputs(), task.outputs()})
    for (const HostArray& array : arrays)
      clips = std::max(clips, alignment / std::gcd(alignment, clip_bytes(array)));
  return static_cast<Index>(clips);
}

}  // namespace

void run_resident(Device& device, const Task& task, std::span<const DeviceData> inputs,
                  std::span<const DeviceData> outputs) {
  // All of the batch at once, unless one array is larger than a binding may be, or what lies
  // between takes much memory.
  const Index batch = task.outputs()[0].batch, units = task.units();
  const std::size_t scratch = std::min(scratch_bytes, device.memory.available() / 3);
  const auto needs = [&](Index n) { return bytes_of(task, {0, n, 0, units, true}); };
  const Index clip_step = aligned_clips(device, task);
  Index clips = batch;
  while (clips > clip_step && (needs(clips).largest > device.physical.info.limits.storage_range ||
                               needs(clips).scratch + needs(clips).carry > scratch))
    clips = (clips / 2 + clip_step - 1) / clip_step * clip_step;
  const PieceBytes bytes = needs(clips);
  if (bytes.largest > device.physical.info.limits.storage_range)
    throw DeviceError("a device array is larger than the device can bind to a kernel");
  auto session = device.sessions->lease();
  session->begin({.follows = true});
  // Not the session's own: the calls that follow have the same scratch memory.
  const std::size_t scratch_bytes = align_up(bytes.scratch) + align_up(bytes.carry);
  Slice workspace;
  if (scratch_bytes) {
    const Allocation memory = device.allocate(scratch_bytes);
    session->use(memory);
    workspace = *memory;
  }
  const auto part = [&](const HostArray& array, const DeviceData& data, const Piece& piece) {
    Slice slice = *data.memory;
    slice.offset += static_cast<std::size_t>(piece.clip) * clip_bytes(array);
    slice.bytes = static_cast<std::size_t>(piece.n_clips) * clip_bytes(array);
    return slice;
  };
  for (const auto& array : inputs) session->use(array.memory);
  for (const auto& array : outputs) session->use(array.memory);
  for (Index clip = 0; clip < batch; clip += clips) {
    const Piece piece{clip, std::min(clips, batch - clip), 0, units, true};
    session->lend_scratch(workspace);
    PieceMemory memory;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      memory.in.push_back(part(task.inputs()[i], inputs[i], piece));
    for (std::size_t i = 0; i < outputs.size(); ++i)
      memory.out.push_back(part(task.outputs()[i], outputs[i], piece));
    if (bytes.carry) memory.carry = session->scratch(task.carry_bytes(piece.n_clips));
    task.record(*session, piece, memory.slices());
  }
  session->submit();
  device.sessions->park(std::move(session));
}

}  // namespace metalmom::gpu
