// How long blocks took, for programs in C (stream/meter.hpp).
#pragma once

#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "base/index.hpp"
#include "c_api/status.hpp"
#include "stream/meter.hpp"

namespace metalmom::c_api {

// A rate in samples a second, by which it is known how long a block lasts.
void set_rate(stream::Meter& meter, std::string_view name, double rate);

// Fills what its `size` says.
metalmom_status fill_report(const stream::Meter& meter, metalmom_report* report) noexcept;

// Takes a block; counts it if it has samples and was taken.
template <class F>
metalmom_status counted(stream::Meter& meter, Index samples, F&& body) noexcept {
  const std::int64_t began = ticks();
  const metalmom_status status = guarded(body);
  if (status == METALMOM_OK && samples > 0) meter.count(ticks() - began, samples);
  return status;
}

}  // namespace metalmom::c_api
