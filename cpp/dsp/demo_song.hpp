// The demo song: drums, bass and chords at a known tempo, the same samples everywhere, so that the
// main job can be shown and its beats checked without a recording.
#pragma once

#include "base/view.hpp"

namespace metalmom::dsp {

inline constexpr double demo_tempo = 112.0;  // beats a minute; the first beat is at 0 s
inline constexpr double demo_rate = 44'100.0;

// Samples of each channel.
inline Index demo_samples(double seconds) {
  return static_cast<Index>(seconds * demo_rate);
}

// Both channels, within [-1, 1]: demo_samples(seconds) values each.
void demo_song(double seconds, float* left, float* right);

}  // namespace metalmom::dsp
