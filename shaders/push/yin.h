// Push constants of yin.comp, for GLSL and C++.
#include "push/frames.h"

struct YinPush {
  FramesPush frames;
  uint frame_length;
  uint min_period;  // in samples, both included
  uint max_period;
  float sr;
  float threshold;
};
