// Push constants of samples.comp, for GLSL and C++.
#include "push/frames.h"

struct SamplesPush {
  FramesPush frames;
  uint n_fft;           // samples of a frame
  float threshold;      // magnitudes up to it count as zero
  float first_crosses;  // 1: the first sample of a frame counts as a crossing
};
