// Push constants of bands.comp, for GLSL and C++.
#include "constants.h"
#include "push/frames.h"

struct BandsPush {
  FramesPush frames;
  uint row_frames;  // of a band's row in the result, and the piece's first one in it
  uint row_first;
  uint n_bands;
  uint parts;      // parts that the bins of two bands are cut into, if bands do not overlap
  float exponent;  // of the squared magnitude, for power_kind power_pushed
  float amin;      // the least power in decibels
  float norm;      // for norm_power
  // For each job of each warp: the steps of its longest task, its group of frames, and where its
  // weights begin, in steps (constants.h has the bits). Push constants, so that no load has to be
  // waited for.
  uint steps[job_entries];
};
