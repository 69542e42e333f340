// Tempi of tempograms: which lag is the period of the beat (Ellis 2007, "Beat tracking by dynamic
// programming", section 3), and beats in whole frames.
//
// A tempogram says how well each lag fits; all multiples of the beat's period fit about as well. A
// prior decides between them: log-normal, so octaves count alike, around a tempo that listeners
// prefer.
#pragma once

#include <limits>
#include <span>

#include "base/view.hpp"
#include "dsp/defaults.hpp"

namespace metalmom::dsp {

struct TempoPrior {
  double start_bpm = defaults::start_bpm;  // the centre
  double std_bpm = defaults::std_bpm;      // in octaves
};

// Beats per minute of a period of `lag` frames; infinity for 0.
double tempo_of_lag(Index lag, double sr, Index hop_length);

// The logarithm of the prior at each tempo, up to a constant: -infinity at an infinite one.
void log_tempo_prior(const TempoPrior& prior, std::span<const double> tempi,
                     std::span<double> weights);

// Excludes tempi from `max_tempo` on, provided that some tempo is below it. `tempi` must fall.
void exclude_from(double max_tempo, std::span<const double> tempi, std::span<double> weights);

// The index of the largest log(1 + 10^6 strength) + weight, the first of equal ones; as in NumPy's
// argmax the first NaN wins. Strengths lie `stride` apart.
template <class T>
Index best_lag(const T* strengths, Index stride, std::span<const double> weights);

// The period of a beat in whole frames.
double beat_period(double bpm, double frame_rate);

}  // namespace metalmom::dsp
