#include "gpu/array.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "gpu/device_jobs.hpp"
#include "gpu/session_pool.hpp"
#include "gpu/staging.hpp"

namespace metalmom::gpu {

namespace {

// Both ways in pieces through the sessions' host memory, several threads copying.
template <class Start, class Finish>
void copy_in_pieces(const DeviceData& array, Start&& start, Finish&& finish) {
  const std::size_t bytes = array.memory->bytes;
  std::vector<Index> first(ceil_div(bytes, streamed_piece_bytes) + 1);
  std::iota(first.begin(), first.end(), Index{0});
  const auto part = [&](Index i) {
    Slice slice = *array.memory;
    const std::size_t offset = static_cast<std::size_t>(i) * streamed_piece_bytes;
    slice.offset += offset;
    slice.bytes = std::min(streamed_piece_bytes, bytes - offset);
    return slice;
  };
  run_jobs({.device = *array.device,
            .first = first,
            .most_in_flight = 2 * thread_count(),
            .bytes_of = [](Index) { return streamed_piece_bytes; },
            .start =
                [&](CommandSession& session, Index i) {
                  start(session, part(i));
                  return Index{-1};
                },
            .finish = [&](CommandSession& session, Index i) { finish(session, part(i)); }});
}

}  // namespace

DeviceData make_array(Device& device, std::size_t bytes) {
  device.require_own_process();
  return {&device, device.allocate(bytes)};
}

DeviceData copy_to_device(Device& device, const void* source, std::size_t bytes,
                          const Look& look) {
  DeviceData array = make_array(device, bytes);
  copy_to_device(array, source, look);
  return array;
}

void copy_to_device(const DeviceData& array, const void* source, const Look& look) {
  const auto* host = static_cast<const std::byte*>(source);
  copy_in_pieces(
      array,
      [&](CommandSession& session, const Slice& part) {
        session.begin({.upload = part.bytes, .overlapped = true});
        session.own(array.memory);
        const std::byte* from = host + (part.offset - array.memory->offset);
        if (look)
          copy_looking(from, session.upload(part), part.bytes, look);
        else
          std::memcpy(session.upload(part), from, part.bytes);
        session.submit();
      },
      [](CommandSession&, const Slice&) {});
}

void copy_to_host(const DeviceData& array, void* target) {
  Device& device = *array.device;
  device.require_own_process();
  // Here, where it spins longer than for a piece: a user waits for results of their own, mostly a
  // millisecond or two.
  device.wait_interruptibly(array.memory->busy_until);
  // Without a clock nobody knows when that is: then each piece comes after all work before it.
  const bool follows = !device.clock.runs();
  auto* host = static_cast<std::byte*>(target);
  copy_in_pieces(
      array,
      [&](CommandSession& session, const Slice& part) {
        session.begin({.download = part.bytes, .overlapped = true, .follows = follows});
        session.own(array.memory);
        session.download(part);
        session.submit();
      },
      [&](CommandSession& session, const Slice& part) {
        std::memcpy(host + (part.offset - array.memory->offset), session.downloads()[0],
                    part.bytes);
      });
}

}  // namespace metalmom::gpu
