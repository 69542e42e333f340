// Picking peaks of a novelty curve (Boeck, Krebs and Schedl 2012, "Evaluating the online
// capabilities of onset detection methods").
#pragma once

#include <span>

#include "base/fields.hpp"
#include "base/view.hpp"

namespace metalmom::dsp {

// Earliest peaks first, or the set of peaks that maximises their number or the sum of their values.
enum class PeakMethod { greedy, dp_count, dp_value };

struct PeakRule {
  Index pre_max = 0, post_max = 1;  // x[n] is the maximum of x[n - pre_max, n + post_max)
  Index pre_avg = 0, post_avg = 1;  // and at least `delta` over the mean of this range
  double delta = 0;
  Index wait = 0;  // frames that stay free after a peak
};

// Whether x[n] is the maximum of its surroundings and far enough above their mean, whatever peaks
// there are before it.
template <class T>
bool stands_out(std::span<const T> x, Index n, const PeakRule& rule);

// Marks the peaks of x. Means are summed in T, one value after the other: a peak is a decision, and
// the order of a sum decides ties.
template <class T>
void pick_peaks(std::span<const T> x, const PeakRule& rule, PeakMethod method, bool* peaks);

}  // namespace metalmom::dsp

template <>
struct metalmom::EnumNames<metalmom::dsp::PeakMethod> {
  static constexpr std::array<std::string_view, 3> value = {"greedy", "dp_count", "dp_value"};
};
