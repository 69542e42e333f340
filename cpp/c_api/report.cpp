#include "c_api/report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "base/fields.hpp"

namespace metalmom::c_api {

namespace {

using stream::Meter;

static_assert(METALMOM_REPORT_POWERS == Meter::n_powers);
static_assert(METALMOM_REPORT_FIRST_POWER == Meter::first_power);

// That of the first version, which has had a report.
constexpr std::size_t least_size =
    offsetof(metalmom_report, histogram) + sizeof(metalmom_report::histogram);

}  // namespace

void set_rate(Meter& meter, std::string_view name, double rate) {
  require(rate > 0 && std::isfinite(rate), name, rate, strictly_positive.rule);
  require(std::isfinite(Meter::units_a_second / rate), name, rate,
          "so large that a sample has a length");
  meter.set_budget(rate, 0);
}

metalmom_status fill_report(const Meter& meter, metalmom_report* report) noexcept {
  if (!report || report->size < least_size)
    return bad_argument("report must not be NULL, and report->size be sizeof(metalmom_report)");
  return guarded([&] {
    const Meter::Report found = meter.report();
    metalmom_report made{
        .size = report->size,
        .blocks = found.blocks,
        .samples = found.samples,
        .late = found.late,
        .budget = found.budget(),
        .share = found.share(),
        .mean = found.mean(),
        .p50 = found.within(0.5),
        .p99 = found.within(0.99),
        .worst = found.worst,
        .histogram = {},
    };
    for (int i = 0; i < Meter::n_powers; ++i)
      made.histogram[i] = found.of_power(Meter::first_power + i);
    std::memcpy(report, &made, std::min(report->size, sizeof made));
  });
}

}  // namespace metalmom::c_api
