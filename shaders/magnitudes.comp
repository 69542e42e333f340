// Magnitudes of complex numbers, before the medians of hpss.comp: each is read 62 times there, so
// the root is taken once, here. In: pairs, out: one number each, in the same order. A number is
// divided by its larger part first: squares of small parts would underflow.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "constants.h"
#include "push/hpss.h"
layout(local_size_x = bin_threads) in;
layout(set = 0, binding = 0, std430) readonly buffer Spectrum { vec2 spectrum[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Magnitudes { float magnitudes[]; };
layout(push_constant) uniform Push { HpssPush push; };

void main() {
  const uint count = push.n_clips * push.held_rows * push.n_cols;
  const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < count; i += stride) {
    const float larger = max(abs(spectrum[i].x), abs(spectrum[i].y));
    magnitudes[i] = larger > 0.0 ? larger * length(spectrum[i] / larger) : 0.0;
  }
}
