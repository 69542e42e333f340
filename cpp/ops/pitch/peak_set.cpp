#include "ops/pitch/peak_set.hpp"

#include <algorithm>

#include "base/workers.hpp"
#include "dsp/rank_counts.hpp"

namespace metalmom::ops {

namespace {

// A part with so many peaks is full. A worker counts as many in about a tenth of a millisecond.
constexpr std::size_t full_part = std::size_t{1} << 14;
// Workers get histograms of their own up to so many cells; larger ones would take longer to clear
// and add than they save.
constexpr Index most_cells = 1 << 12;

// A Sum for `sum_over_parts` that collects the values of some cells.
template <class T>
struct Gathered {
  std::vector<T> values;

  void add(const Gathered& part) {
    values.insert(values.end(), part.values.begin(), part.values.end());
  }
};

}  // namespace

template <class T>
auto PeakSet<T>::take_part() -> Part* {
  const std::lock_guard lock(mutex_);
  if (open_.empty()) return parts_.emplace_back(std::make_unique<Part>()).get();
  Part* const part = open_.back();
  open_.pop_back();
  return part;
}

template <class T>
void PeakSet<T>::add(std::span<const Peak> found) {
  if (found.empty()) return;
  Part* const part = take_part();
  part->insert(part->end(), found.begin(), found.end());
  if (part->size() >= full_part) return;
  const std::lock_guard lock(mutex_);
  open_.push_back(part);
}

template <class T>
template <class Sum, class F>
void PeakSet<T>::sum_over_parts(Sum& sum, bool in_parallel, F&& visit) const {
  const auto count = std::ssize(parts_);
  const auto visit_some = [&](Sum& to, Index first, Index last) {
    for (Index i = first; i < last; ++i)
      for (const Peak& peak : *parts_[static_cast<std::size_t>(i)]) visit(to, peak);
  };
  if (count == 1 || !in_parallel) return visit_some(sum, 0, count);
  std::mutex adding;
  const Sum empty = sum;
  parallel_for(count, 1, [&](Index first, Index last) {
    Sum mine = empty;
    visit_some(mine, first, last);
    const std::lock_guard lock(adding);
    sum.add(mine);
  });
}

template <class T>
T PeakSet<T>::median_magnitude() const {
  dsp::RankCounts<T> counts;
  sum_over_parts(counts, true, [](auto& to, const Peak& peak) { to.add(peak.magnitude); });
  Index n = 0;
  for (const auto& part : parts_) n += std::ssize(*part);
  const auto low = counts.place((n - 1) / 2), high = counts.place(n / 2);
  Gathered<T> middle;
  sum_over_parts(middle, true, [&](auto& to, const Peak& peak) {
    const Index cell = counts.cell(peak.magnitude);
    if (cell >= low.cell && cell <= high.cell) to.values.push_back(peak.magnitude);
  });
  const auto at = middle.values.begin() + (n / 2 - low.before);
  std::nth_element(middle.values.begin(), at, middle.values.end());
  return n % 2 ? *at : (*std::max_element(middle.values.begin(), at) + *at) / 2;
}

template <class T>
dsp::Tuning PeakSet<T>::tuning(double resolution, double bins_per_octave) const {
  if (parts_.empty()) return {};
  const T median = median_magnitude();
  dsp::TuningHistogram<T> histogram(resolution, bins_per_octave);
  sum_over_parts(histogram, histogram.n_cells() <= most_cells, [=](auto& to, const Peak& peak) {
    if (peak.magnitude >= median) to.add(peak.frequency);
  });
  return histogram.tuning();
}

template class PeakSet<float>;
template class PeakSet<double>;

}  // namespace metalmom::ops
