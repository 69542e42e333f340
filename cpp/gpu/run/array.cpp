#include "gpu/run/array.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

#include "base/counters.hpp"
#include "base/workers.hpp"
#include "gpu/run/staging.hpp"
#include "gpu/run/submission.hpp"

namespace metalmom::gpu {

namespace {

// Copies a piece of an array, either way, through a session's host memory. `start` records that,
// and `finish` is called when it is done; both get the piece's memory.
template <class Start, class Finish>
class CopyOfPiece final : public Submission {
 public:
  CopyOfPiece(const DeviceData& array, const Slice& piece, const SessionNeed& need,
              const Start& start, const Finish& finish)
      : array_(array), piece_(piece), need_(need), start_(start), finish_(finish) {}

  SessionNeed need() override { return need_; }
  void record(CommandSession& session) override {
    session.own(array_.memory);
    start_(session, piece_);
  }
  void finish(CommandSession& session) override { finish_(session, piece_); }

 private:
  const DeviceData& array_;
  const Slice piece_;
  const SessionNeed need_;
  const Start& start_;
  const Finish& finish_;
};

// Several threads copy. `need`: of the largest piece.
template <class Start, class Finish>
void copy_in_pieces(const DeviceData& array, const SessionNeed& need, const Start& start,
                    const Finish& finish) {
  std::deque<CopyOfPiece<Start, Finish>> copies;
  std::vector<Submission*> submissions;
  const std::size_t bytes = array.memory->bytes;
  for (std::size_t at = 0; at < bytes; at += streamed_piece_bytes) {
    const Slice piece{array.memory->buffer, array.memory->offset + at,
                      std::min(streamed_piece_bytes, bytes - at)};
    SessionNeed of_piece = need;
    of_piece.upload = std::min(need.upload, piece.bytes);
    of_piece.download = std::min(need.download, piece.bytes);
    submissions.push_back(&copies.emplace_back(array, piece, of_piece, start, finish));
  }
  run_submissions(*array.device, submissions, 2 * thread_count());
}

// The array's memory where the host sees it, else null.
std::byte* in_place(const DeviceData& array) {
  std::byte* const mapped = array.memory->buffer->mapped();
  return mapped ? mapped + array.memory->offset : nullptr;
}

void copy_by_all_threads(std::size_t bytes, auto&& copy) {
  constexpr auto grain = static_cast<Index>(streamed_piece_bytes);
  parallel_for(static_cast<Index>(bytes), grain, [&](Index first, Index last) {
    copy(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
  });
}

}  // namespace

DeviceData make_array(Device& device, std::size_t bytes) {
  device.require_own_process();
  return {&device, device.allocate(bytes)};
}

DeviceData copy_to_device(Device& device, const void* source, std::size_t bytes, const Look& look) {
  DeviceData array = make_array(device, bytes);
  copy_to_device(array, source, look);
  return array;
}

void copy_to_device(const DeviceData& array, const void* source, const Look& look) {
  const auto* host = static_cast<const std::byte*>(source);
  const auto copy = [&](std::byte* target, std::size_t offset, std::size_t bytes) {
    if (look)
      copy_looking(host + offset, target, bytes, look);
    else
      std::memcpy(target, host + offset, bytes);
  };
  if (std::byte* const target = in_place(array)) {
    array.device->wait_interruptibly(array.memory->busy_until);
    counters().uploaded_bytes += array.memory->bytes;
    return copy_by_all_threads(array.memory->bytes, [&](std::size_t offset, std::size_t bytes) {
      copy(target + offset, offset, bytes);
    });
  }
  copy_in_pieces(
      array, {.upload = streamed_piece_bytes, .overlapped = true},
      [&](CommandSession& session, const Slice& piece) {
        copy(session.upload(piece), piece.offset - array.memory->offset, piece.bytes);
      },
      [](CommandSession&, const Slice&) {});
}

void copy_to_host(const DeviceData& array, void* target) {
  Device& device = *array.device;
  device.require_own_process();
  // Here, where it spins longer than for a piece: a user waits for results of their own, mostly a
  // millisecond or two.
  device.wait_interruptibly(array.memory->busy_until);
  auto* host = static_cast<std::byte*>(target);
  if (const std::byte* const source = in_place(array)) {
    counters().downloaded_bytes += array.memory->bytes;
    return copy_by_all_threads(array.memory->bytes, [&](std::size_t offset, std::size_t bytes) {
      std::memcpy(host + offset, source + offset, bytes);
    });
  }
  // Without a clock nobody knows when that is: then each piece comes after all work before it.
  const bool follows = !device.clock.runs();
  copy_in_pieces(
      array, {.download = streamed_piece_bytes, .overlapped = true, .follows = follows},
      [](CommandSession& session, const Slice& piece) { session.download(piece); },
      [&](CommandSession& session, const Slice& piece) {
        std::memcpy(host + (piece.offset - array.memory->offset), session.downloads()[0],
                    piece.bytes);
      });
}

}  // namespace metalmom::gpu
