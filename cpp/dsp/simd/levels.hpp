// Loops over levels in decibels, plain ones: the compiler turns each into vectors.
#pragma once

#include "base/index.hpp"
#include "dsp/elementary.hpp"

namespace metalmom::dsp::simd {
namespace {

constexpr Index level_lanes = 64;

// out = 10 log10(max(amin, in or in^2)) - offset; returns the largest, NaN if there is one.
float levels(const float* in, Index count, float amin, float offset, bool amplitude, float* out) {
  // One maximum per lane, so that no iteration waits for the one before it.
  float best[level_lanes];
  for (Index lane = 0; lane < level_lanes; ++lane) best[lane] = -__builtin_inff();
  for (Index first = 0; first < count; first += level_lanes) {
    const Index n = count - first < level_lanes ? count - first : level_lanes;
    const auto convert = [&](Index lane) {
      const float value = in[first + lane];
      const float power = amplitude ? value * value : value;
      const float raised = power < amin ? amin : power;  // NaN stays
      const float level = 10.0f * log10_of(raised) - offset;
      out[first + lane] = level;
      best[lane] = level > best[lane] || level != level ? level : best[lane];
    };
    if (n == level_lanes)
      for (Index lane = 0; lane < level_lanes; ++lane) convert(lane);
    else
      for (Index lane = 0; lane < n; ++lane) convert(lane);
  }
  float largest = -__builtin_inff();
  for (Index lane = 0; lane < level_lanes; ++lane)
    largest = best[lane] > largest || best[lane] != best[lane] ? best[lane] : largest;
  return largest;
}

}  // namespace
}  // namespace metalmom::dsp::simd
