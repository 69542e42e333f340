// Spectral peaks that several workers find, and the tuning that they agree on. Peaks lie in parts, in an
// order that depends on the workers; counts, of which median and histogram are made, do not.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dsp/tuning.hpp"

namespace metalmom::ops {

template <class T>
class PeakSet {
 public:
  using Peak = dsp::SpectralPeak<T>;

  // Called by any worker.
  void add(std::span<const Peak> found);

  // Of the peaks with at least the median magnitude. All workers take part.
  dsp::Tuning tuning(double resolution, double bins_per_octave) const;

 private:
  using Part = std::vector<Peak>;

  Part* take_part();
  T median_magnitude() const;
  // Visits each part's peaks with a Sum of its own (a copy of the empty `sum`); they are added to `sum`.
  template <class Sum, class F>
  void sum_over_parts(Sum& sum, bool in_parallel, F&& visit) const;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Part*> open_;  // that nobody writes to, and that have room
};

}  // namespace metalmom::ops
