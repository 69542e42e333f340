// Derivatives along frames: of the polynomial that fits a window around each frame best (Savitzky
// and Golay 1964), as weighted sums over the window.
//
// In and out: (rows, frames, columns). Values are taken in the order of memory, whatever the axes:
// a thread has four of them, 256 apart, so that neighbouring threads read side by side, neighbours
// in time come from the cache, and a weight is loaded once for four sums. What is summed are
// differences to the middle value: they are exact where the signal is large and changes little, and
// the weights of a derivative add up to zero. Values near the ends take another way. Frames are
// added in order, whatever the device.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/delta.h"
#include "wrap.glsl"
#define THREADS delta_threads
#define VALUES delta_values
layout(local_size_x = THREADS) in;

layout(constant_id = 0) const uint ends = ends_interp;
layout(set = 0, binding = 0, std430) readonly buffer Data { float data[]; };
// The weights of a window's frames at its middle; for ends_interp also at each of its other frames.
layout(set = 0, binding = 1, std430) readonly buffer Weights { float weights[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Results { float results[]; };
layout(push_constant) uniform Push { DeltaPush push; };

// The value that stands at `frame`, before the first or after the last one, of the row from `row`.
float beyond(uint row, int frame) {
  const int n = int(push.n_frames);
  if (ends == ends_constant && (frame < 0 || frame >= n)) return push.constant;
  if (ends == ends_nearest) frame = clamp(frame, 0, n - 1);
  if (ends == ends_mirror || ends == ends_wrap) {
    const int period = ends == ends_wrap ? n : max(2 * (n - 1), 1);
    frame = wrapped(frame, period);
    if (frame >= n) frame = period - frame;
  }
  return data[row + uint(frame) * push.n_columns];
}

// The derivative at a frame that is less than half a window from an end.
float near_end(uint row, uint frame, float own) {
  const uint half_width = push.width / 2;
  int first = int(frame) - int(half_width);  // of the window, and its weights
  uint table = 0;
  if (ends == ends_interp) {
    const bool late = frame >= half_width;
    first = late ? int(push.n_frames - push.width) : 0;
    table = push.width * (1 + (late ? frame + 2 * half_width - push.n_frames : frame));
  }
  float sum = 0.0;
  for (uint k = 0; k < push.width; ++k)
    sum = fma(weights[table + k], beyond(row, first + int(k)) - own, sum);
  return sum;
}

void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint thread = group * THREADS * VALUES + gl_LocalInvocationIndex;
  const uint half_width = push.width / 2;
  uint at[VALUES], stride[VALUES], frame[VALUES];  // a stride of 0: near an end, or no value
  float own[VALUES], sum[VALUES];
  [[unroll]] for (uint v = 0; v < VALUES; ++v) {
    const uint i = min(thread + v * THREADS, push.n_values - 1);
    frame[v] = i / push.n_columns % push.n_frames;
    const bool inside = frame[v] >= half_width && frame[v] + half_width < push.n_frames;
    stride[v] = inside ? push.n_columns : 0;
    at[v] = i - half_width * stride[v];
    own[v] = data[i];
    sum[v] = 0.0;
  }
  for (uint k = 0; k < push.width; ++k) {
    const float weight = weights[k];
    [[unroll]] for (uint v = 0; v < VALUES; ++v)
      sum[v] = fma(weight, data[at[v] + k * stride[v]] - own[v], sum[v]);
  }
  [[unroll]] for (uint v = 0; v < VALUES; ++v) {
    const uint i = thread + v * THREADS;
    if (i >= push.n_values) continue;
    if (stride[v] == 0) sum[v] = near_end(i - frame[v] * push.n_columns, frame[v], own[v]);
    results[i] = fma(push.weight, own[v], sum[v]);
  }
}
