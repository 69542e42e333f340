#include "dsp/peak_pick.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/pace.hpp"

namespace metalmom::dsp {

namespace {

struct Reach {
  Index first, last;  // [first, last)
};

// [n - before, n + after) within the curve; the comparison avoids overflow of a huge `after`.
Reach reach(Index n, Index before, Index after, Index size) {
  return {before > n ? 0 : n - before, after > size - n ? size : n + after};
}

template <class T>
T maximum(const T* x, Reach r) {
  T top = x[r.first];
  for (Index i = r.first + 1; i < r.last; ++i)
    if (x[i] > top || std::isnan(x[i])) top = x[i];
  return top;
}

template <class T>
T mean(const T* x, Reach r) {
  T sum = 0;
  for (Index i = r.first; i < r.last; ++i) sum += x[i];
  return static_cast<T>(static_cast<double>(sum) / static_cast<double>(r.last - r.first));
}

template <class T>
bool stands_out(std::span<const T> x, Index n, const PeakRule& rule, Pace& pace) {
  const Index size = std::ssize(x);
  const Reach near = reach(n, rule.pre_max, rule.post_max, size);
  pace.did(near.last - near.first);
  const T top = maximum(x.data(), near);
  if (!(n == 0 ? x[n] >= top : x[n] == top)) return false;
  const Reach around = reach(n, rule.pre_avg, rule.post_avg, size);
  pace.did(around.last - around.first);
  return x[n] >= mean(x.data(), around) + rule.delta;
}

template <class T>
void pick_greedy(std::span<const T> x, const PeakRule& rule, bool* peaks) {
  const Index size = std::ssize(x);
  Index n = 0;
  Pace pace;
  while (n < size) {
    peaks[n] = stands_out(x, n, rule, pace);
    if (!peaks[n])
      ++n;
    else if (rule.wait >= size)
      break;
    else
      n += rule.wait + 1;
  }
}

// For each frame n, from the last backwards: the best value of a set of peaks from n on, with n in
// it or not.
template <class T>
void pick_optimal(std::span<const T> x, const PeakRule& rule, bool count, bool* peaks) {
  const Index size = std::ssize(x);
  std::vector<T> running(x.size());
  T sum = 0;
  for (Index n = 0; n < size; ++n) running[n] = sum += x[n];
  Pace pace;
  pace.did(size);
  std::vector<double> value(x.size() + 1, 0.0);
  pace.did(size);
  std::vector<Index> next(x.size() + 1, 0);
  pace.did(size);
  std::vector<std::uint8_t> taken(x.size() + 1, 0);
  for (Index n = size - 1; n >= 0; --n) {
    value[n] = value[n + 1];
    next[n] = n + 1;
    const Reach near = reach(n, rule.pre_max, rule.post_max, size);
    pace.did(near.last - near.first);
    if (x[n] < maximum(x.data(), near)) continue;
    const Reach r = reach(n, rule.pre_avg, rule.post_avg, size);
    const T total = r.first == 0 ? running[r.last - 1] : running[r.last - 1] - running[r.first - 1];
    const double average = static_cast<double>(total) / static_cast<double>(r.last - r.first);
    const double gain = count ? 1.0 : static_cast<double>(x[n]);
    const Index after = rule.wait >= size - n ? size : std::min(size, n + rule.wait + 1);
    if (x[n] >= average + rule.delta && value[after] + gain > value[n + 1]) {
      value[n] = value[after] + gain;
      next[n] = after;
      taken[n] = 1;
    }
  }
  for (Index n = 0; n < size; n = next[n]) peaks[n] = taken[n];
}

}  // namespace

template <class T>
bool stands_out(std::span<const T> x, Index n, const PeakRule& rule) {
  Pace pace;
  return stands_out(x, n, rule, pace);
}

template bool stands_out(std::span<const float>, Index, const PeakRule&);
template bool stands_out(std::span<const double>, Index, const PeakRule&);

template <class T>
void pick_peaks(std::span<const T> x, const PeakRule& rule, PeakMethod method, bool* peaks) {
  std::fill(peaks, peaks + x.size(), false);
  if (method == PeakMethod::greedy)
    pick_greedy(x, rule, peaks);
  else
    pick_optimal(x, rule, method == PeakMethod::dp_count, peaks);
}

template void pick_peaks(std::span<const float>, const PeakRule&, PeakMethod, bool*);
template void pick_peaks(std::span<const double>, const PeakRule&, PeakMethod, bool*);

}  // namespace metalmom::dsp
