// How powers become levels in decibels: shared by every op that makes some.
#pragma once

#include "base/fields.hpp"
#include "dsp/decibel.hpp"
#include "dsp/defaults.hpp"

namespace metalmom::ops {

struct LevelParams {
  // the power that counts as silence: smaller ones are raised to it
  double amin = dsp::defaults::amin;
  // levels are raised to the signal's maximum less this; infinity: they are not
  double top_db = dsp::defaults::top_db;

  static constexpr auto fields() {
    return field_list(field("amin", &LevelParams::amin, strictly_positive),
                      field("top_db", &LevelParams::top_db, non_negative));
  }
};

// Of a feature of frames, which may be told where levels end: a stream does not know their maximum.
struct FrameLevelParams : LevelParams {
  double floor = dsp::no_floor;  // lower levels are raised to this

  static constexpr auto fields() {
    return joined_fields(LevelParams::fields(),
                         field_list(field("floor", &FrameLevelParams::floor)));
  }
};

}  // namespace metalmom::ops
