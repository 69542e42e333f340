#include "gpu/calibration.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/timing.hpp"
#include "gpu/array.hpp"
#include "gpu/push.hpp"
#include "gpu/session_pool.hpp"

namespace metalmom::gpu {

namespace {

constexpr std::size_t transfer_bytes = std::size_t{16} << 20;
constexpr std::size_t copy_bytes = std::size_t{32} << 20;

// By its timestamps where the device has them, else by the clock.
double copy_ms(Device& device, const DeviceData& source, const DeviceData& target) {
  const CopyPush push{static_cast<uint>(copy_bytes / 16)};
  const auto session = device.sessions->lease();
  double by_clock = 0, by_stamps = 0;
  for (int i = 0; i < 3; ++i) {  // the last: pipeline, pages and clocks are warm
    session->begin({.timed = true});
    session->dispatch({"copy"}, {2048}, {read(*source.memory), write(*target.memory)}, push);
    by_clock = best_ms(1, [&] {
      session->submit();
      session->wait();
    });
    by_stamps = session->timestamps().kernel_ns() * 1e-6;
  }
  return by_stamps > 0 ? by_stamps : by_clock;
}

}  // namespace

DeviceRates measure(Device& device) {
  DeviceRates rates;
  {
    const auto session = device.sessions->lease();
    rates.submit_ms = best_ms(10, [&] {
      session->begin({});
      session->submit();
      session->wait();
    });
  }
  {
    const std::vector<std::byte> host(transfer_bytes);
    std::vector<std::byte> back(transfer_bytes);
    DeviceData array;
    const double up = best_ms(3, [&] { array = copy_to_device(device, host.data(), host.size()); });
    const double down = best_ms(3, [&] { copy_to_host(array, back.data()); });
    rates.upload = transfer_bytes / up;
    rates.download = transfer_bytes / down;
  }
  const DeviceData source = make_array(device, copy_bytes), target = make_array(device, copy_bytes);
  rates.copy = 2.0 * copy_bytes / copy_ms(device, source, target);
  return rates;
}

}  // namespace metalmom::gpu
