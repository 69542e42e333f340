// Push constants of bands.comp, for GLSL and C++.
#include "constants.h"
#include "push/frames.h"

struct BandsPush {
  FramesPush frames;
  uint row_frames;  // of a band's row in the result, and the piece's first one in it
  uint row_first;
  uint n_bands;
  uint parts;      // tasks of two bands, where bands do not overlap
  float exponent;  // of the squared magnitude, for power_kind power_pushed
  float amin;      // lowest power in decibels
  float norm;      // for norm_power
  // Of each job of each warp: bins of its longest task, its group of frames, and where its weights
  // begin, in steps (constants.h has the bits). Constants, not loads: nothing waits for them.
  uint steps[job_entries];
};
