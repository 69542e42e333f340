// Raises levels to their group's maximum less top_db, in place: the second pass of decibel.comp,
// over the same groups of values. It is a pass of its own because a group's maximum is known only
// when all its workgroups are done.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/decibel.h"
#define THREADS decibel_threads
#define VALUES decibel_values
layout(local_size_x = THREADS) in;

layout(set = 0, binding = 0, std430) buffer Levels { float levels[]; };
layout(set = 0, binding = 1, std430) readonly buffer Maxima { uint maxima[]; };
layout(push_constant) uniform Push { DecibelPush push; };

#include "levels.glsl"
#include "row.glsl"

void main() {
  const uint group = group_row();
  if (group >= push.n_groups) return;
  const float floor_ = from_ordered_bits(maxima[group]) - push.top_db;
  const uint first = gl_WorkGroupID.x * VALUES * THREADS + gl_LocalInvocationIndex;
  const uint place = group * push.n_values + first;
  // All loads are under way before the first is waited for.
  float level[VALUES];
  [[unroll]] for (uint i = 0; i < VALUES; ++i)
    if (first + i * THREADS < push.n_values) level[i] = levels[place + i * THREADS];
  // Only what changes is written: half of the memory's traffic. A floor of NaN changes all.
  [[unroll]] for (uint i = 0; i < VALUES; ++i)
    if (first + i * THREADS < push.n_values && !(level[i] >= floor_)) levels[place + i * THREADS] = floor_;
}
