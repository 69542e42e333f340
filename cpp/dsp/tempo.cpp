#include "dsp/tempo.hpp"

#include <algorithm>
#include <cmath>

namespace metalmom::dsp {

double tempo_of_lag(Index lag, double sr, Index hop_length) {
  return 60 * sr / (static_cast<double>(hop_length) * static_cast<double>(lag));
}

void log_tempo_prior(const TempoPrior& prior, std::span<const double> tempi,
                     std::span<double> weights) {
  const double centre = std::log2(prior.start_bpm);
  std::ranges::transform(tempi, weights.begin(), [&](double bpm) {
    const double deviations = (std::log2(bpm) - centre) / prior.std_bpm;
    return -0.5 * deviations * deviations;
  });
}

void exclude_from(double max_tempo, std::span<const double> tempi, std::span<double> weights) {
  const auto below = std::ranges::find_if(tempi, [&](double bpm) { return bpm < max_tempo; });
  if (below == tempi.end()) return;
  std::fill_n(weights.begin(), below - tempi.begin(), -std::numeric_limits<double>::infinity());
}

template <class T>
Index best_lag(const T* strengths, Index stride, std::span<const double> weights) {
  const auto score = [&](Index lag) {
    return static_cast<double>(std::log1p(T(1e6) * strengths[lag * stride])) +
           weights[static_cast<std::size_t>(lag)];
  };
  Index best = 0;
  double most = score(0);
  for (Index lag = 1; lag < std::ssize(weights) && !std::isnan(most); ++lag) {
    const double here = score(lag);
    if (here > most || std::isnan(here)) best = lag, most = here;
  }
  return best;
}

template Index best_lag(const float*, Index, std::span<const double>);
template Index best_lag(const double*, Index, std::span<const double>);

double beat_period(double bpm, double frame_rate) {
  return std::nearbyint(frame_rate * 60 / bpm);
}

}  // namespace metalmom::dsp
