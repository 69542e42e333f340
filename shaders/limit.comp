// Raises levels to their group's maximum less top_db, in place: the second pass of decibel.comp,
// over the same groups of values. It is a pass of its own because a group's maximum is known only
// when all its workgroups are done.
#version 450
#extension GL_GOOGLE_include_directive : require
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
  for (uint i = 0; i < VALUES; ++i) {
    const uint value = (gl_WorkGroupID.x * VALUES + i) * THREADS + gl_LocalInvocationIndex;
    if (value >= push.n_values) return;
    const uint place = group * push.n_values + value;
    // Only what changes is written: half of the memory's traffic. A floor of NaN changes all.
    if (!(levels[place] >= floor_)) levels[place] = floor_;
  }
}
