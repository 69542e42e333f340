// The Griffin-Lim update (Perraudin, Balazs and Sondergaard 2013): magnitudes with the phase of
// rebuilt - factor * previous, where previous is what was rebuilt in the iteration before.
//
// All arrays are (clips, frames, bins), and a thread has bins a stride of the whole grid apart:
// bins are independent of each other. The phase is never an angle: the number is divided by its
// length, scaled by its larger part first, because squares of small parts would underflow. Where it
// is zero, so is the estimate.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "constants.h"
#include "push/phases.h"
layout(local_size_x = bin_threads) in;
layout(set = 0, binding = 0, std430) readonly buffer Magnitudes { float magnitudes[]; };
layout(set = 0, binding = 1, std430) readonly buffer Rebuilt { vec2 rebuilt[]; };
layout(set = 0, binding = 2, std430) readonly buffer Previous { vec2 previous[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Estimate { vec2 estimate[]; };
layout(push_constant) uniform Push { PhasesPush push; };

void main() {
  const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < push.bins; i += stride) {
    vec2 direction = rebuilt[i];
    if (push.factor != 0.0) direction = fma(vec2(-push.factor), previous[i], direction);
    const float larger = max(abs(direction.x), abs(direction.y));
    if (larger > 0.0) direction /= larger;
    const float size = length(direction);
    estimate[i] = size > 0.0 ? direction * (magnitudes[i] / size) : vec2(0.0);
  }
}
