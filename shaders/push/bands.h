// Push constants of bands.comp, for GLSL and C++.
#include "push/frames.h"

struct BandsPush {
  FramesPush frames;
  uint row_frames;  // of a band's row in the result, and the piece's first one in it
  uint row_first;
  uint n_bands;
  uint parts;      // tasks of a band, where they are not paired
  float exponent;  // of the squared magnitude, for power_kind 0
  float amin;      // lowest power in decibels
  float norm;      // for NORM_POWER
  // Of each 32 tasks in turn: the bins of the longest (low 16 bits), and where their weights begin,
  // in steps (high 16 bits). Constants rather than loads: nothing waits for them.
  uint steps[16];
};
