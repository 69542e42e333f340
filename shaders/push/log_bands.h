// Push constants of log_bands.comp, for GLSL and C++.
#include "constants.h"
#include "push/frames.h"

struct LogBandsPush {
  FramesPush frames;
  uint row_frames;  // as in BandsPush, and the following ones
  uint row_first;
  uint n_bands;
  uint parts;
  float exponent;
  uint frame_length;  // samples of a prepared frame; zeros follow
  float preemphasis;
  uint steps[job_entries];
};
