// Magnitude spectra in lane layout, of audio or of a stored spectrogram: what ops read that take
// either `y` or `S`.
#pragma once

#include <span>

#include "ops/core/consumer.hpp"

namespace metalmom::ops {

template <class T>
struct MagnitudeInputs {
  View<const T> y;                 // (batch, 1, samples), or null
  Spectrogram<const T> S;          // magnitudes, or null
  std::span<const double> window;  // win_length values, with y

  static constexpr auto fields() {
    return field_list(optional(audio("y", &MagnitudeInputs::y)),
                      optional(matrices("S", &MagnitudeInputs::S)),
                      field("window", &MagnitudeInputs::window));
  }
};

struct MagnitudePlan {
  FramePlan frames;  // of a stored spectrogram, only batch, n_frames and n_bins
  bool stored = false;
};

template <class T>
MagnitudePlan plan_magnitudes(const FrameParams& params, const MagnitudeInputs<T>& in);

// Throws if a stored spectrogram has a negative value, or with `all_finite` a value that is not
// finite.
template <class T>
void require_magnitudes(const View<const T>& S, bool all_finite);

// Runs `consumer` on the frames of audio, or on the blocks of the stored spectrogram.
template <class T>
void consume_magnitudes(const MagnitudePlan& plan, const MagnitudeInputs<T>& in,
                        Consumer<T>& consumer);

}  // namespace metalmom::ops
