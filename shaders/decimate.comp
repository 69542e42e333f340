// Every other sample of low-passed signals: a symmetric filter of hundreds of taps, as sums of
// products.
//
// In and out: rows of samples. Even and odd taps are two phases: each is a dense filter of its own
// over every other sample, which lie side by side in shared memory. A thread has eight neighbouring
// results and holds the eight samples that a tap meets in registers: a step to the next tap loads
// one of them. The samples of a thread begin nine words after those of the thread before, so a
// warp's loads hit all banks. Beyond its ends a signal is zero. Taps rise, phase after phase,
// whatever the device.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/decimate.h"
#include "row.glsl"
#define THREADS decimate_threads
#define OUTPUTS decimate_outputs
#define GROUP (THREADS * OUTPUTS)
#define TAPS decimate_taps
#define HELD (GROUP + TAPS)
layout(local_size_x = THREADS) in;

layout(set = 0, binding = 0, std430) readonly buffer From { float from[]; };
layout(set = 0, binding = 1, std430) readonly buffer Taps { float taps[]; };
layout(set = 0, binding = 2, std430) writeonly buffer To { float to[]; };
layout(push_constant) uniform Push { DecimatePush push; };

shared float held[HELD + HELD / OUTPUTS];
shared vec4 phase_taps[TAPS / 4];

uint place(uint i) { return i + i / OUTPUTS; }

void load_phase(uint row, uint first, uint phase) {
  for (uint i = gl_LocalInvocationIndex; i < TAPS; i += THREADS)
    phase_taps[i / 4][i % 4] = taps[phase * TAPS + i];
  // The middle of the filter is half its length behind its first tap.
  const int begin = 2 * (int(first) - int(TAPS / 2)) + int(phase);
  for (uint i = gl_LocalInvocationIndex; i < HELD; i += THREADS) {
    const int at = begin + int(2 * i);
    held[place(i)] =
        at >= 0 && at < int(push.from_length) ? from[row + push.from_first + uint(at)] : 0.0;
  }
}

void main() {
  const uint thread = gl_LocalInvocationIndex;
  const uint clip = group_row();
  if (clip >= push.n_clips) return;
  const uint first = gl_WorkGroupID.x * GROUP;
  float sum[OUTPUTS];
  [[unroll]] for (uint r = 0; r < OUTPUTS; ++r) sum[r] = 0.0;
  for (uint phase = 0; phase < 2; ++phase) {
    barrier();
    load_phase(clip * push.from_stride, first, phase);
    barrier();
    uint at = place(thread * OUTPUTS);
    float x[OUTPUTS];  // sample j + r is in register (j + r) % OUTPUTS
    [[unroll]] for (uint r = 0; r < OUTPUTS; ++r) x[r] = held[at + r];
    for (uint j = 0; j < TAPS; j += OUTPUTS) {
      at += OUTPUTS + 1;
      [[unroll]] for (uint u = 0; u < OUTPUTS; ++u) {
        const float tap = phase_taps[(j + u) / 4][u % 4];
        [[unroll]] for (uint r = 0; r < OUTPUTS; ++r)
          sum[r] = fma(tap, x[(u + r) % OUTPUTS], sum[r]);
        x[u] = held[at + u];
      }
    }
  }
  const uint row = clip * push.to_stride + push.to_first;
  [[unroll]] for (uint r = 0; r < OUTPUTS; ++r) {
    const uint m = first + thread * OUTPUTS + r;
    if (m < push.to_length) to[row + m] = sum[r];
  }
}
