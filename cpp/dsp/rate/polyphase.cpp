#include "dsp/rate/polyphase.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>

#include "base/cache.hpp"
#include "base/ceil_div.hpp"

namespace metalmom::dsp {
namespace {

constexpr Index most_factor = 1024;  // of the fraction
constexpr Index first_results = 8;   // from so many with taps of their own on a filter is not taken

// Samples to either side that the longest filter reaches, at the lower of two rates; found where
// the filter is trimmed.
constexpr Index longest_reach = 128;
// Samples that are resampled to see all taps: their number grows with the square of the fraction.
constexpr Index most_measured = Index(1) << 22;
// Taps below this are libsoxr's rounding errors. The filter must agree with it to `agreement`.
constexpr double least_tap = 5e-8, agreement = 2e-6;

class Measurement {
 public:
  Measurement(double from_rate, double to_rate, Quality quality, Index up, Index down)
      : from_rate_(from_rate), to_rate_(to_rate), quality_(quality) {
    made_.up = up, made_.down = down;
    reach_ = longest_reach * std::max<Index>(1, ceil_div(down, up)) + 4;
  }

  Polyphase make() {
    if (measured() > most_measured) return {};
    measure_taps();
    trim();
    made_.n_first = first_results;
    // The first results take hundreds of impulses: only where they are all that is missing.
    if (!describes()) return {};
    measure_first();
    return made_.n_first < first_results ? std::move(made_) : Polyphase{};
  }

 private:
  std::vector<double> resampled(const std::vector<double>& x) const {
    std::vector<double> y(
        static_cast<std::size_t>(resampled_length(std::ssize(x), from_rate_, to_rate_)));
    resample_signal(x.data(), std::ssize(x), from_rate_, to_rate_, quality_, y.data(),
                    std::ssize(y));
    return y;
  }

  // Between impulses, one more than whole periods; between the first and the last of them.
  Index spacing() const {
    const Index least = 2 * reach_ + 4;
    return least + (made_.down + 1 - least % made_.down) % made_.down;
  }
  Index measured() const { return (made_.down + 2) * spacing(); }

  // An impulse for each of `down` places in a period, so far apart that none meets another's
  // response: between them they show every tap of every phase.
  void measure_taps() {
    const Index up = made_.up, down = made_.down;
    made_.reach = reach_, made_.n_taps = 2 * reach_ + 2;
    const Index step = spacing();
    std::vector<double> x(static_cast<std::size_t>(measured()), 0.0);
    for (Index i = 1; i <= down; ++i) x[static_cast<std::size_t>(i * step)] = 1;
    const std::vector<double> y = resampled(x);
    made_.taps.assign(static_cast<std::size_t>(up * made_.n_taps), 0.0);
    for (Index i = 1; i <= down; ++i) {
      const Index at = i * step;
      for (Index n = (at - reach_) * up / down; n <= (at + reach_) * up / down; ++n) {
        const Index tap = at - n * down / up + reach_;
        if (tap >= 0 && tap < made_.n_taps && n < std::ssize(y))
          made_.taps[static_cast<std::size_t>(n % up * made_.n_taps + tap)] =
              y[static_cast<std::size_t>(n)];
      }
    }
  }

  void trim() {
    Index first = made_.n_taps, last = 0;
    for (Index i = 0; i < std::ssize(made_.taps); ++i)
      if (std::abs(made_.taps[static_cast<std::size_t>(i)]) >= least_tap) {
        first = std::min(first, i % made_.n_taps);
        last = std::max(last, i % made_.n_taps + 1);
      }
    std::vector<double> kept;
    for (auto row = made_.taps.begin(); row != made_.taps.end(); row += made_.n_taps)
      kept.insert(kept.end(), row + std::min(first, last), row + last);
    made_.taps = std::move(kept);
    made_.reach -= std::min(first, last);
    made_.n_taps = last - std::min(first, last);
  }

  // The first results of an impulse at each of the first samples, beside what the taps say.
  void measure_first() {
    const Index n = first_results * made_.down / made_.up + made_.n_taps;
    std::vector<double> rows(static_cast<std::size_t>(first_results * n));
    Index own = 0;
    for (Index i = 0; i < n; ++i) {
      std::vector<double> x(static_cast<std::size_t>(n + 2 * reach_), 0.0);
      x[static_cast<std::size_t>(i)] = 1;
      const std::vector<double> y = resampled(x);
      for (Index r = 0; r < first_results; ++r) {
        const double response = y[static_cast<std::size_t>(r)];
        rows[static_cast<std::size_t>(r * n + i)] = response;
        if (std::abs(response - tap_at(r, i)) > agreement) own = std::max(own, r + 1);
      }
    }
    made_.n_first = own;
    made_.n_first_taps = own ? n : 0;
    made_.first_taps.assign(rows.begin(), rows.begin() + own * n);
  }

  // The tap of result n that meets a sample.
  double tap_at(Index n, Index sample) const {
    const Index phase = n % made_.up;
    const Index tap = sample - n / made_.up * made_.down - made_.first_sample(phase);
    return tap >= 0 && tap < made_.n_taps
               ? made_.taps[static_cast<std::size_t>(phase * made_.n_taps + tap)]
               : 0;
  }

  // Whether the filter makes of noise what libsoxr does, but for the first results.
  bool describes() const {
    if (made_.n_taps == 0) return false;
    std::vector<double> x(static_cast<std::size_t>(3 * reach_ + 2 * made_.down + 1000));
    std::uint32_t state = 1;
    for (double& each : x) {
      state = state * 1664525u + 1013904223u;
      each = static_cast<double>(state >> 8) / (1 << 23) - 1;
    }
    const std::vector<double> y = resampled(x);
    const Index made = made_length(std::ssize(x), from_rate_, to_rate_);
    for (Index n = made_.n_first; n < std::min(made, std::ssize(y)); ++n) {
      double sum = 0;
      const Index phase = n % made_.up;
      const Index from = n / made_.up * made_.down + made_.first_sample(phase);
      for (Index k = std::max<Index>(0, -from); k < std::min(made_.n_taps, std::ssize(x) - from);
           ++k)
        sum += made_.taps[static_cast<std::size_t>(phase * made_.n_taps + k)] *
               x[static_cast<std::size_t>(from + k)];
      if (std::abs(sum - y[static_cast<std::size_t>(n)]) > agreement) return false;
    }
    return true;
  }

  double from_rate_, to_rate_;
  Quality quality_;
  Index reach_;
  Polyphase made_;
};

}  // namespace

std::shared_ptr<const Polyphase> polyphase(double from_rate, double to_rate, Quality quality) {
  const auto is_whole = [](double rate) { return rate == std::floor(rate) && rate < 1e9; };
  if (!is_whole(from_rate) || !is_whole(to_rate)) return nullptr;
  const auto from = static_cast<Index>(from_rate), to = static_cast<Index>(to_rate);
  const Index common = std::gcd(from, to);
  const Index up = to / common, down = from / common;
  if (std::max(up, down) > most_factor) return nullptr;
  static Cache<std::tuple<Index, Index, Quality>, Polyphase> cache{"build resampling filters"};
  auto found = cache.get({up, down, quality}, [&] {
    return std::make_shared<const Polyphase>(
        Measurement(from_rate, to_rate, quality, up, down).make());
  });
  return found->up ? found : nullptr;
}

}  // namespace metalmom::dsp
