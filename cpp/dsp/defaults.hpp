// librosa's default values, each declared here and nowhere else in C++: the field tables of the
// ops, the filter banks and the main job without Python take them from here. Python's signatures
// spell them out for their readers; tests_py/test_signatures.py compares the two.
#pragma once

#include "base/index.hpp"

namespace metalmom::dsp::defaults {

inline constexpr double sr = 22050;  // Hz
inline constexpr Index n_fft = 2048;
inline constexpr Index hop_length = 512;
inline constexpr Index n_mels = 128, n_mfcc = 20, n_chroma = 12;

// Levels: the power that counts as silence, and what is kept below the loudest, in decibels.
inline constexpr double amin = 1e-10;
inline constexpr double top_db = 80;

// Tempo: the centre and width (octaves) of the prior, the window in seconds, and where tempi end.
inline constexpr double start_bpm = 120, std_bpm = 1, ac_size = 8, max_tempo = 320;

}  // namespace metalmom::dsp::defaults
