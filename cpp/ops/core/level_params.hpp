// How powers become levels in decibels: shared by every op that makes some.
#pragma once

#include <tuple>

#include "base/fields.hpp"
#include "dsp/defaults.hpp"

namespace metalmom::ops {

struct LevelParams {
  double amin = dsp::defaults::amin;      // what counts as silence
  double top_db = dsp::defaults::top_db;  // below the maximum of a signal; infinity: no limit

  static constexpr auto fields() {
    return std::tuple{field("amin", &LevelParams::amin, strictly_positive),
                      field("top_db", &LevelParams::top_db, non_negative)};
  }
};

}  // namespace metalmom::ops
