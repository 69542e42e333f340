// Push constants of shape.comp, for GLSL and C++.
#include "push/frames.h"

struct ShapePush {
  FramesPush frames;
  float exponent;  // bandwidth: of the distance; rolloff: the share; flatness: of the square
  float amin;      // flatness: least power; bandwidth: positive where the sum is divided by
};
