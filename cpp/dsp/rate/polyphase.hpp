// Changes of rate as the filters that they are.
#pragma once

#include <memory>
#include <vector>

#include "base/index.hpp"
#include "dsp/rate/resampler.hpp"

namespace metalmom::dsp {

// What libsoxr computes between two rates, as sums of products: result n = q * up + p is the sum of
// the taps of phase p times the samples from first_sample(p) + q * down on.
struct Polyphase {
  Index up = 0, down = 0;  // from each `down` samples `up` are made
  Index reach = 0;         // samples before the place of a result that its taps begin
  Index n_taps = 0;
  std::vector<double> taps;  // (up, n_taps)
  // libsoxr goes through several filters, of which the later ones do not see what the first ones
  // make before the first sample. So its first results have taps of their own, from sample 0 on.
  Index n_first = 0, n_first_taps = 0;
  std::vector<double> first_taps;  // (n_first, n_first_taps)

  Index first_sample(Index phase) const { return phase * down / up - reach; }
  std::size_t bytes() const { return (taps.size() + first_taps.size()) * sizeof(double); }
};

// The filter between two rates, measured: what libsoxr makes of impulses. Null where that does not
// describe it: rates whose ratio is no fraction of numbers up to 1024 or takes more than 4 million
// samples to measure (to less than a tenth of the rate, at the latest a 126th), changes of the rate
// that begin with eight results of their own or more. Kept, as it takes 10 to 80 ms.
std::shared_ptr<const Polyphase> polyphase(double from_rate, double to_rate, Quality quality);

}  // namespace metalmom::dsp
