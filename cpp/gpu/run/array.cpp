#include "gpu/run/array.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/ceil_div.hpp"
#include "base/counters.hpp"
#include "base/workers.hpp"
#include "gpu/run/device_jobs.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/run/staging.hpp"

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
      array,
      [&](CommandSession& session, const Slice& part) {
        session.begin({.upload = part.bytes, .overlapped = true});
        session.own(array.memory);
        copy(session.upload(part), part.offset - array.memory->offset, part.bytes);
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
