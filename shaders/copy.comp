// Copies 16-byte words: the yardstick for memory bandwidth, and the fastest copy inside the device
// (vkCmdCopyBuffer reaches a fifth of it on some drivers). Neighbouring threads copy neighbouring
// words, in a stride of the whole grid, so that any number of words is one dispatch.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "constants.h"
layout(local_size_x = copy_threads) in;
layout(std430, binding = 0) readonly buffer Source { uvec4 source[]; };
layout(std430, binding = 1) writeonly buffer Target { uvec4 target[]; };
#include "push/copy.h"
layout(push_constant) uniform Push { CopyPush push; };

void main() {
  const uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
  for (uint i = gl_GlobalInvocationID.x; i < push.words; i += stride) target[i] = source[i];
}
