// Signals at another rate: result p of each period is a sum of products of the samples around it
// with the taps of its phase p (dsp/rate/polyphase.hpp).
//
// In: (clips, samples). Out: (clips, results). Taps come again after a period, some samples in and
// some results out, so all periods of all clips are a product of two matrices: taps by results of a
// period, samples by periods. The samples that 32 neighbouring results read lie around each other:
// a group multiplies a band of the taps' matrix, 32 rows of it, by 64 periods (product.glsl, where a
// column is a period). Samples beyond the clip are zeros.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "push/resample.h"
#include "constants.h"
#define THREADS resample_threads
#define ROWS resample_rows
#define COLUMNS resample_periods
#define DEPTH resample_depth
layout(local_size_x = THREADS) in;

// Of each block four rows of a sample, the next four rows ...; then the same of the next sample.
layout(set = 0, binding = 1, std430) readonly buffer Taps { vec4 taps[]; };
// Of each block the sample of a period that its taps begin at; then the taps of the first results.
layout(set = 0, binding = 2, std430) readonly buffer Starts { float starts[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Results { float results[]; };
layout(push_constant) uniform Push { ResamplePush push; };

#include "product.glsl"
#include "row.glsl"
#include "samples.glsl"

// Samples [at, at + DEPTH) of the group's periods.
void load_samples(uint clip, uint first_period, int at) {
  for (uint i = gl_LocalInvocationIndex; i < DEPTH * COLUMNS; i += THREADS) {
    const uint period = first_period + column_of(i);
    const int place =
        int((push.first_period + period) * push.period_samples) + at + int(sample_of(i));
    put_sample(i, period < push.n_periods ? padded_sample(push.frames, clip, place) : 0.0);
  }
}

// One of the first results of a clip.
float first_result(uint clip, uint n) {
  float sum = 0.0;
  for (uint k = 0; k < push.n_first_taps; ++k)
    sum = fma(starts[push.n_blocks + n * push.n_first_taps + k],
              padded_sample(push.frames, clip, int(k)), sum);
  return sum;
}

void main() {
  const uint thread = gl_LocalInvocationIndex;
  const uint row = group_row();
  const uint clip = row / push.n_blocks, block = row % push.n_blocks;
  if (clip >= push.frames.n_clips) return;
  const uint first_period = gl_WorkGroupID.x * resample_periods;
  const uint quad = thread % QUADS, four = thread / QUADS;
  const int start = floatBitsToInt(starts[block]);
  clear_sums();
  for (uint step = 0; step < push.n_steps; ++step) {
    load_samples(clip, first_period, start + int(step * DEPTH));
    for (uint i = thread; i < DEPTH * FOURS; i += THREADS)
      rows[i] = taps[(block * push.n_steps + step) * DEPTH * FOURS + i];
    add_products(quad, four);
  }
  [[unroll]] for (uint f = 0; f < 4; ++f) {
    const uint period = first_period + 4 * quad + f;
    [[unroll]] for (uint r = 0; r < 4; ++r) {
      const uint in_period = block * resample_rows + 4 * four + r;
      const uint place = period * push.period_results + in_period;  // in the piece
      if (in_period >= push.period_results || place >= push.n_results) continue;
      const uint n = push.first_period * push.period_results + place;  // in the clip
      float value = n < push.n_made ? sum[r][f] : 0.0;
      if (n < min(push.n_first, push.n_made)) value = first_result(clip, n);
      results[clip * push.n_results + place] = value;
    }
  }
}
