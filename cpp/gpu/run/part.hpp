// What a submission does for a piece of a work: samples up, kernels, results down.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "gpu/record/command_session.hpp"
#include "gpu/run/batch_memory.hpp"
#include "gpu/run/pieces.hpp"
#include "gpu/run/run.hpp"

namespace metalmom::gpu {

// A work on its way, as its parts share it.
struct ActiveWork {
  ActiveWork(Device& its_device, Work& its_work) : device(its_device), work(its_work) {}

  // From any thread; the first error stays.
  void fail(const std::exception_ptr& error);
  bool has_failed() const { return failed_; }

  Device& device;
  Work& work;
  const Task& task = *work.task;
  KeptAudio* kept = nullptr;      // where kernels read the audio; null: parts upload what they read
  const void* checked = nullptr;  // the input whose samples are checked while they are copied
  std::span<const DeviceData> inputs = {}, outputs = {};  // if all arrays are on the device
  std::vector<Allocation> carries = {};                   // of each clip, if its pieces pass it on
  std::optional<BatchMemory> shared = {};  // from the part that `begins` to the one that `answers`

 private:
  std::atomic<bool> failed_{false};
  std::mutex mutex_;  // guards the work's error
};

struct Part {
  ActiveWork& work;
  Piece piece;
  bool uploads = true, computes = true;
  // Whether it is the first part of its work, and the last one, if kernels answer for the batch.
  bool begins = false, answers = false;
  bool follows = false;  // reads what earlier submissions left

  // What it needs of a session.
  const SessionNeed& need();
  // Not if its work has failed. Fails the work if samples are not finite.
  void record(CommandSession& session);
  // Stores the results, when all that was recorded is done.
  void store(const CommandSession& session) const;

  std::optional<SessionNeed> known_need = {};
  std::optional<std::size_t> first_download = {};  // of the session, once it is recorded

 private:
  void record_work(CommandSession& session);
  std::vector<Slice> inputs(CommandSession& session, Piece& reads) const;
  std::vector<Slice> outputs(CommandSession& session) const;
  std::vector<Slice> resident(CommandSession& session, std::span<const DeviceData> data,
                              std::span<const HostArray> arrays) const;
  void upload(CommandSession& session, std::size_t i, const Region& region,
              const Slice& target) const;
  Slice carry(CommandSession& session) const;
};

}  // namespace metalmom::gpu
