// metalmom_convolver: a convolver whose response stays (stream/convolver.hpp).
#include <algorithm>
#include <cmath>

#include "c_api/report.hpp"
#include "c_api/status.hpp"
#include "stream/convolver.hpp"

using namespace metalmom;

struct metalmom_convolver {
  stream::Convolver<float> engine;
  stream::Meter meter;
};

extern "C" {

metalmom_status metalmom_convolver_open(const float* response, int64_t taps, int64_t channels,
                                        int64_t block, metalmom_convolver** opened) {
  if (!opened) return c_api::bad_argument("opened must not be NULL");
  *opened = nullptr;
  return c_api::guarded([&] {
    require(taps >= 1 && response, "taps", taps, "at least 1, and response not NULL");
    c_api::require_channels(channels);
    require(block >= 1, "block", block, "at least 1");
    require(std::all_of(response, response + taps, [](float tap) { return std::isfinite(tap); }),
            "response", "...", "finite everywhere");
    const auto plan = stream::plan_partitions(taps, 0, block, stream::PartitionMethod::automatic);
    const View<const float> one{response, 1, 1, taps};
    *opened = new metalmom_convolver{stream::Convolver<float>(plan, one, channels), {}};
  });
}

void metalmom_convolver_close(metalmom_convolver* convolver) {
  delete convolver;
}

metalmom_status metalmom_convolver_process(metalmom_convolver* convolver, const float* in,
                                           int64_t count, float* out) {
  if (!convolver || count < 0 || (count > 0 && (!in || !out)))
    return c_api::bad_argument("convolver, in and out must not be NULL, and count not negative");
  auto& engine = convolver->engine;
  if (!engine.takes(in, count, count)) return METALMOM_BAD_SAMPLES;
  return c_api::counted(convolver->meter, count,
                        [&] { engine.process(in, count, count, out, count); });
}

void metalmom_convolver_reset(metalmom_convolver* convolver) {
  convolver->engine.reset();
  convolver->meter.restart();
}

metalmom_status metalmom_convolver_set_rate(metalmom_convolver* convolver, double rate) {
  if (!convolver) return c_api::bad_argument("convolver must not be NULL");
  return c_api::guarded([&] { c_api::set_rate(convolver->meter, "rate", rate); });
}

metalmom_status metalmom_convolver_report(const metalmom_convolver* convolver,
                                          metalmom_report* report) {
  if (!convolver) return c_api::bad_argument("convolver must not be NULL");
  return c_api::fill_report(convolver->meter, report);
}

}  // extern "C"
