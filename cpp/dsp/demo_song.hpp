// The demo song: drums, bass and chords at a known tempo, the same samples everywhere, so that the
// main job can be shown and its beats checked without a recording.
#pragma once

#include <vector>

#include "base/view.hpp"

namespace metalmom::dsp {

inline constexpr double demo_tempo = 112.0;  // beats a minute; the first beat is at 0 s
inline constexpr double demo_rate = 44'100.0;

// Interleaved stereo, within [-1, 1].
std::vector<float> demo_song(double seconds);

}  // namespace metalmom::dsp
