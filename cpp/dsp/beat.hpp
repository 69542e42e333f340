// Beat tracking by dynamic programming (Ellis 2007, "Beat tracking by dynamic programming").
//
// Beats are decisions: an ulp may move one where two candidates tie, so the types and the order of
// operations here are part of the result. Everything runs in double except what is stored in T.
#pragma once

#include <cstdint>
#include <span>

#include "base/view.hpp"

namespace metalmom::dsp {

// Standard deviation with n - 1 degrees of freedom, summed pairwise as NumPy sums.
template <class T>
T sample_deviation(std::span<const T> x);

// Onsets divided by their deviation, then smoothed by a Gaussian of a thirty-second of a beat.
// `frames_per_beat` has one value, or one per frame (tempo that varies).
template <class T>
void beat_local_score(std::span<const T> onsets, std::span<const double> frames_per_beat,
                      T* normalized, T* score);

// Best predecessor of each frame (-1: none), and the score of the best path that ends there.
template <class T>
void beat_paths(std::span<const T> score, std::span<const double> frames_per_beat, double tightness,
                std::int32_t* backlink, double* total);

// Follows the links from the last frame whose path is good enough; marks the beats it meets.
void beat_backtrack(std::span<const std::int32_t> backlink, std::span<const double> total,
                    bool* beats);

// Drops the first and the last beats whose onsets are weaker than half the root mean square of the
// smoothed onsets at the beats; without `trim` only those without any onset.
template <class T>
void trim_beats(std::span<const T> score, bool trim, bool* beats);

}  // namespace metalmom::dsp
