// Push constants of tempogram.comp, for GLSL and C++.
#include "push/frames.h"

struct TempogramPush {
  FramesPush frames;
  uint win_length;
  float norm;  // for norm_power
};
