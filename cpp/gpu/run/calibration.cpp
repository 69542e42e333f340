#include "gpu/run/calibration.hpp"

#include <algorithm>
#include <cstring>

#include "base/buffer.hpp"
#include "base/timing.hpp"
#include "base/workers.hpp"
#include "gpu/run/array.hpp"
#include "gpu/run/run.hpp"
#include "gpu/run/session_pool.hpp"
#include "gpu/run/staging.hpp"
#include "gpu/vk/vulkan_device.hpp"
#include "shader/copy.hpp"

namespace metalmom::gpu {

namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

double submit_ms(Device& device) {
  const auto session = device.sessions->lease();
  return best_ms(10, [&] {
    session->begin({});
    session->submit();
    session->wait();
  });
}

// As many bytes of `most` as an eighth of the memory left, in whole mebibytes.
std::size_t affordable(const Device& device, std::size_t most) {
  return std::min(most, device.memory.available() / 8 / mebibyte * mebibyte);
}

// Copies as batches do, by several threads with sessions of their own; the first copy, not
// measured, makes their host memory. Where a transfer takes less than 1 ms a larger one is measured
// too, and the rate is that of the difference: so the constant start is not in it.
void measure_transfers(Device& device, DeviceRates& rates) {
  double less_bytes = 0, less_up = 0, less_down = 0;
  for (const std::size_t most : {8 * mebibyte, 24 * mebibyte}) {
    const std::size_t bytes = affordable(device, most);
    if (bytes == 0) return;
    const Buffer<std::byte> host(bytes);
    parallel_for(static_cast<Index>(bytes), mebibyte, [&](Index first, Index last) {
      std::memset(host.data() + first, 0, static_cast<std::size_t>(last - first));
    });
    const DeviceData array = copy_to_device(device, host.data(), bytes);
    const double up = best_ms(4, [&] { copy_to_device(array, host.data()); });
    copy_to_host(array, host.data());
    const double down = best_ms(4, [&] { copy_to_host(array, host.data()); });
    const auto rate = [&](double ms, double less_ms) {
      return (static_cast<double>(bytes) - less_bytes) / std::max(ms - less_ms, 0.2 * ms);
    };
    rates.upload = rate(up, less_up);
    rates.download = rate(down, less_down);
    if (up > 1) return;
    less_bytes = static_cast<double>(bytes), less_up = up, less_down = down;
  }
}

// The best rate of a few copies by their timestamps; 0 without timestamps, and where nothing is
// copied.
double bus_rate(CommandSession& session, const Allocation& memory, const SessionNeed& need,
                auto&& record) {
  double rate = 0;
  for (int i = 0; i < 8; ++i) {
    session.begin(need);
    session.own(memory);
    record();
    session.submit();
    session.wait();
    if (const double ns = session.timestamps().copy_ns(); ns > 0)
      rate = std::max(rate, streamed_piece_bytes / ns * 1e6);
  }
  return rate;
}

void measure_bus(Device& device, DeviceRates& rates) {
  const DeviceData array = make_array(device, streamed_piece_bytes);
  const auto session = device.sessions->lease();
  const SessionNeed up{.upload = streamed_piece_bytes, .overlapped = true, .timed = true};
  const SessionNeed down{.download = streamed_piece_bytes, .overlapped = true, .timed = true};
  const Allocation& memory = array.memory;
  rates.upload_bus = bus_rate(*session, memory, up, [&] { session->upload(*memory); });
  rates.download_bus = bus_rate(*session, memory, down, [&] { session->download(*memory); });
}

// The time of a copy by a kernel: by timestamps where the device has them, else by the host's
// clock.
double copy_ms(Device& device, std::size_t bytes) {
  const DeviceData source = make_array(device, bytes), target = make_array(device, bytes);
  const CopyPush push{static_cast<uint>(bytes / 16)};
  const auto session = device.sessions->lease();
  double best = 1e30;
  // the first run is slow: the pipeline is built, pages are fresh, clocks are low
  for (int i = 0; i < 4; ++i) {
    session->begin({.timed = true});
    session->own(source.memory);
    session->own(target.memory);
    session->dispatch(shader::Copy{}, {4096}, {.source = *source.memory, .target = *target.memory},
                      push);
    const double by_clock = best_ms(1, [&] {
      session->submit();
      session->wait();
    });
    const double by_stamps = session->timestamps().kernel_ns() * 1e-6;
    best = std::min(best, by_stamps > 0 ? by_stamps : by_clock);
    if (i > 0 && by_clock > 2) break;
  }
  return best;
}

// A small copy, and on a fast device one that is larger than its caches.
double copy_rate(Device& device) {
  double rate = 0;
  for (const std::size_t most : {4 * mebibyte, 64 * mebibyte}) {
    const std::size_t bytes =
        std::min(affordable(device, most), device.physical.info.limits.storage_range);
    if (bytes == 0) return rate;
    const double taken = copy_ms(device, bytes);
    rate = 2 * static_cast<double>(bytes) / taken;
    if (taken > 0.2) break;
  }
  return rate;
}

}  // namespace

DeviceRates measure(Device& device) {
  DeviceRates rates;
  rates.submit_ms = submit_ms(device);
  measure_transfers(device, rates);
  measure_bus(device, rates);
  if (rates.upload_bus > 0) rates.upload = std::min(rates.upload, rates.upload_bus);
  if (rates.download_bus > 0) rates.download = std::min(rates.download, rates.download_bus);
  rates.copy = copy_rate(device);
  return rates;
}

}  // namespace metalmom::gpu
