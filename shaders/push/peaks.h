// Push constants of peaks.comp, for GLSL and C++.
#include "push/frames.h"

struct PeaksPush {
  FramesPush frames;
  uint first_bin;  // bins [first_bin, last_bin) may be peaks
  uint last_bin;
  uint capacity;   // peaks that there is room for
  uint n_cells;
  float exponent;         // of the squared magnitude, for power_kind power_pushed
  float threshold;        // of a frame's largest value
  float bin_spacing;      // Hz
  float bins_per_octave;  // of the scale
};
