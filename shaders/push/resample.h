// Push constants of resample.comp, for GLSL and C++. A period is a number of samples after which
// the same taps come again.
#include "push/frames.h"

struct ResamplePush {
  FramesPush frames;  // of samples alone: which of them are held
  uint n_periods;     // of the piece
  uint first_period;
  uint n_blocks;  // of rows: results of a period that are computed together
  uint n_steps;   // samples that a block's taps reach over, in steps
  uint period_samples;
  uint period_results;
  uint n_results;  // of the piece, per clip
  uint n_made;     // of a whole clip: zeros follow
  uint n_first;    // results at the beginning of a clip that have taps of their own
  uint n_first_taps;
};
