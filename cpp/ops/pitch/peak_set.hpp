// Spectral peaks that several workers find, and the tuning that they agree on. Peaks lie in parts,
// in an order that depends on the workers; counts, of which median and histogram are made, do not.
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

  // Adds peaks; any worker may call it.
  void add(std::span<const Peak> found);

  // The tuning of those peaks that have at least the median magnitude. Uses all workers.
  dsp::Tuning tuning(double resolution, double bins_per_octave) const;

 private:
  using Part = std::vector<Peak>;

  Part* take_part();
  T median_magnitude() const;
  // Visits the peaks of every part with a Sum of the part's own (a copy of the empty `sum`), and
  // adds these to `sum`.
  template <class Sum, class F>
  void sum_over_parts(Sum& sum, bool in_parallel, F&& visit) const;

  std::mutex mutex_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::vector<Part*> open_;  // parts that have room and that no worker writes to
};

}  // namespace metalmom::ops
