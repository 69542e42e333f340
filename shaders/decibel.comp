// Power, or amplitude squared, to decibels less an offset (the reference level), and the maximum of
// each group of values, from which limit.comp computes the floor of top_db.
//
// In and out: (groups, values). A workgroup takes 8 x 256 neighbouring values, a thread every 256th
// of them, so that loads are runs; its maximum costs one atomic operation instead of one a value.
// The limit needs the maximum of the whole group of values, which is known only when all workgroups
// are done: hence a second pass. Maxima are exact, so their order does not matter.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "constants.h"
#include "push/decibel.h"
#define THREADS decibel_threads
#define VALUES decibel_values
layout(local_size_x = THREADS) in;

layout(constant_id = 0) const bool amplitude = false;
layout(constant_id = 1) const bool limited = true;
layout(set = 0, binding = 0, std430) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1, std430) readonly buffer Offsets { float offsets[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Levels { float levels[]; };
layout(set = 0, binding = 3, std430) buffer Maxima { uint maxima[]; };
layout(push_constant) uniform Push { DecibelPush push; };

#include "levels.glsl"

shared float exchange[THREADS];
#include "maximum.glsl"
#include "row.glsl"

void main() {
  const uint group = group_row();
  if (group >= push.n_groups) return;
  const float offset =
      push.one_offset != 0 ? push.offset : offsets[push.first_group + group];
  float largest = lowest_float;
  bool has_nan = false;
  for (uint i = 0; i < VALUES; ++i) {
    const uint value = (gl_WorkGroupID.x * VALUES + i) * THREADS + gl_LocalInvocationIndex;
    if (value >= push.n_values) break;
    float power = source[group * push.n_values + value];
    if (amplitude) power *= power;
    const float level = to_decibels(power, push.amin) - offset;
    levels[group * push.n_values + value] = level;
    largest = max(largest, level);
    has_nan = has_nan || is_nan(level);
  }
  if (limited) keep_maximum(group, largest);
  // The limit is NaN then, as it is in NumPy.
  if (limited && has_nan) atomicMax(maxima[group], ordered_bits(not_a_number()));
}
