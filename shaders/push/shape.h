// Push constants of shape.comp, for GLSL and C++.
#include "push/frames.h"

struct ShapePush {
  FramesPush frames;
  // bandwidth: exponent of the distance; rolloff: the share; flatness: exponent of the square
  float exponent;
  float amin;      // flatness: the least power; bandwidth: > 0 if the sum is to be divided by
};
