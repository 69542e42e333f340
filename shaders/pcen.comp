// Per-channel energy normalisation (Wang, Getreuer, Hughes, Lyon and Saurous 2017): each row of
// energies over its own smoothed past, then compressed.
//
// In: energies and what is smoothed, (rows, frames). Out: the same shape, and each row's filter
// after the last frame. The filter waits for itself from frame to frame, so a thread has a row; the
// values of a group's rows pass through shared memory in tiles, for runs of frames to be read and
// written side by side. Rows of a tile begin on different banks. All but the recurrence is shared
// out over four times as many threads as there are rows. Frames are taken in order, whatever the
// device.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/pcen.h"
#define THREADS pcen_threads
#define ROWS pcen_rows
#define TILE 64  // frames
#define STRIDE (TILE + 1)
#define VALUES (ROWS * TILE / THREADS)  // of a thread
layout(local_size_x = THREADS) in;

layout(constant_id = 0) const uint kind = pcen_root;
layout(constant_id = 1) const bool referred = false;  // `ref` is smoothed, not the energies
layout(set = 0, binding = 0, std430) readonly buffer Energies { float energies[]; };
layout(set = 0, binding = 1, std430) readonly buffer Reference { float reference[]; };
layout(set = 0, binding = 2, std430) readonly buffer States { float states[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Results { float results[]; };
layout(set = 0, binding = 4, std430) writeonly buffer LastStates { float last_states[]; };
layout(push_constant) uniform Push { PcenPush push; };

#include "floats.glsl"

shared float tile[ROWS * STRIDE];

// log(1 + x) and exp(x) - 1 for x >= 0, to the last digits also where they are small.
float log_1p(float x) {
  if (x > 0.5) return 0.69314718055994531 * log2(1.0 + x);
  const float t = x / (2.0 + x), s = t * t;  // log((1 + t) / (1 - t)), and t is at most 0.2
  return 2.0 * t * (1.0 + s * (1.0 / 3.0 + s * (1.0 / 5.0 + s * (1.0 / 7.0 + s / 9.0))));
}

float exp_m1(float x) {
  if (x > 0.4) return exp2(1.4426950408889634 * x) - 1.0;
  float sum = 1.0;  // 1 + x/2 (1 + x/3 (1 + x/4 ...
  [[unroll]] for (uint k = 8; k > 1; --k) sum = fma(x / float(k), sum, 1.0);
  return x * sum;
}

float compressed(float energy, float level) {
  if (!is_finite(level)) return not_a_number();
  const float gained = energy * exp2(-push.gain * log2(push.eps + level));
  const float ratio = gained / push.bias;
  switch (kind) {
    case pcen_root: return push.root * (ratio / (sqrt(1.0 + ratio) + 1.0));
    case pcen_logarithm: return log_1p(gained);
    case pcen_power: return gained > 0.0 ? exp2(push.power * log2(gained)) : 0.0;
    default: return push.root * exp_m1(push.power * log_1p(ratio));
  }
}

// One step of the filter: level = kept * level + b * x. The level is the sum of two floats; the
// second has what rounding took from the first. With a small b (a long memory) most of a step's
// change is in it.
void advance(float x, inout float level, inout float rest) {
  precise const float old = push.kept * level, add = push.b * x;
  precise const float sum = old + add;
  precise const float added = sum - old;
  precise const float lost = (old - (sum - added)) + (add - added);
  precise const float rounded = fma(push.kept, level, -old) + fma(push.b, x, -add);
  rest = fma(push.kept, rest, fma(push.kept_rest, level, lost + rounded));
  level = sum;
}

void main() {
  const uint thread = gl_LocalInvocationIndex;
  const uint first_row = gl_WorkGroupID.x * ROWS;
  const uint column = thread % TILE;
  const uint own_row = first_row + thread;
  const bool smooths = thread < ROWS && own_row < push.n_rows;
  float level = 0.0, rest = 0.0;
  for (uint first = 0; first < push.n_frames; first += TILE) {
    const uint count = min(TILE, push.n_frames - first);
    float energy[VALUES];
    [[unroll]] for (uint v = 0; v < VALUES; ++v) {
      const uint row = v * (THREADS / TILE) + thread / TILE;
      energy[v] = 0.0;
      if (column < count && first_row + row < push.n_rows) {
        const uint place = (first_row + row) * push.n_frames + first + column;
        energy[v] = energies[place];
        tile[row * STRIDE + column] = referred ? reference[place] : energy[v];
      }
    }
    barrier();
    if (smooths) {
      uint frame = 0;
      if (first == 0) {
        const float state =
            push.one_state != 0 ? push.state : states[push.first_row + own_row];
        level = fma(push.b, tile[thread * STRIDE], state);
        tile[thread * STRIDE] = level;
        frame = 1;
      }
      for (; frame < count; ++frame) {
        advance(tile[thread * STRIDE + frame], level, rest);
        tile[thread * STRIDE + frame] = level + rest;
      }
    }
    barrier();
    [[unroll]] for (uint v = 0; v < VALUES; ++v) {
      const uint row = v * (THREADS / TILE) + thread / TILE;
      if (column < count && first_row + row < push.n_rows)
        results[(first_row + row) * push.n_frames + first + column] =
            compressed(energy[v], tile[row * STRIDE + column]);
    }
    barrier();
  }
  if (smooths) last_states[own_row] = push.kept * (level + rest);
}
