// Push constants of contrast.comp, for GLSL and C++.
#include "push/frames.h"

struct ContrastPush {
  FramesPush frames;
  uint n_bands;
};
