// Push constants of bands.comp, for GLSL and C++.
#include "push/frames.h"

struct BandsPush {
  FramesPush frames;
  uint row_frames;  // of a band's row in the result, and the piece's first one in it
  uint row_first;
  uint n_bands;
  uint parts;      // tasks of two bands, where bands do not overlap
  float exponent;  // of the squared magnitude, for power_kind 0
  float amin;      // lowest power in decibels
  float norm;      // for NORM_POWER
  // Of each job of each warp: bins of its longest task (13 bits), its group of frames (3 bits), and
  // where its weights begin, in steps (16 bits). Constants, not loads: nothing waits for them.
  uint steps[16];
};
