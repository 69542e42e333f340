// Cepstra (MFCC) from band levels: the product with a DCT matrix; levels are first raised to the
// clip's maximum less top_db where wanted.
//
// In: levels, (clips, bands, frames), and the matrix in blocks of 20 coefficients. Out: (clips,
// coefficients, frames). A thread has one frame and holds 20 of its coefficients in registers, so
// that a level is read once for all of them (20 is librosa's default n_mfcc: one block). Threads of
// a group have neighbouring frames, so their reads of a band are one run of memory. The matrix is
// the same for all of them: it passes through shared memory in tiles of 64 bands. The bands are
// summed in rising order, whatever the device. Source: Davis and Mermelstein 1980.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/dct.h"
#define THREADS dct_threads
#define QUADS (dct_block / 4)  // of coefficients
#define TILE_BANDS 64  // of the matrix in shared memory at a time
#define AHEAD 8        // levels of a thread under way at a time
layout(local_size_x = THREADS) in;

layout(constant_id = 0) const bool limited = true;
layout(set = 0, binding = 0, std430) readonly buffer Levels { float levels[]; };
// matrix[block of coefficients][band][coefficient]
layout(set = 0, binding = 1, std430) readonly buffer Matrix { vec4 matrix[]; };
layout(set = 0, binding = 2, std430) readonly buffer Maxima { uint maxima[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Cepstra { float cepstra[]; };
layout(push_constant) uniform Push { DctPush push; };

#include "levels.glsl"
#include "row.glsl"

shared vec4 tile[TILE_BANDS * QUADS];

vec4 sum[QUADS];

void add_band(float level, float floor_, uint band) {
  if (limited) level = raised(level, floor_);
  [[unroll]] for (uint q = 0; q < QUADS; ++q)
    sum[q] = fma(vec4(level), tile[band * QUADS + q], sum[q]);
}

void main() {
  const uint thread = gl_LocalInvocationIndex;
  const uint frame = gl_WorkGroupID.x * THREADS + thread;
  const uint blocks = (push.n_coefficients + dct_block - 1) / dct_block;
  const uint row = group_row();
  const uint clip = row / blocks, block = row % blocks;
  if (clip >= push.n_clips) return;
  const bool inside = frame < push.n_frames;
  const float floor_ = limited ? from_ordered_bits(maxima[clip]) - push.top_db : lowest_float;

  [[unroll]] for (uint q = 0; q < QUADS; ++q) sum[q] = vec4(0.0);
  uint place = clip * push.n_bands * push.n_frames + min(frame, push.n_frames - 1);
  for (uint first = 0; first < push.n_bands; first += TILE_BANDS) {
    const uint count = min(TILE_BANDS, push.n_bands - first);
    barrier();
    for (uint i = thread; i < count * QUADS; i += THREADS)
      tile[i] = matrix[(block * push.n_bands + first) * QUADS + i];
    barrier();
    uint band = 0;
    for (; band + AHEAD <= count; band += AHEAD) {
      float level[AHEAD];
      [[unroll]] for (uint i = 0; i < AHEAD; ++i) level[i] = levels[place + i * push.n_frames];
      [[unroll]] for (uint i = 0; i < AHEAD; ++i) add_band(level[i], floor_, band + i);
      place += AHEAD * push.n_frames;
    }
    for (; band < count; ++band) {
      add_band(levels[place], floor_, band);
      place += push.n_frames;
    }
  }
  if (!inside) return;
  [[unroll]] for (uint i = 0; i < dct_block; ++i) {
    const uint coefficient = block * dct_block + i;
    if (coefficient < push.n_coefficients)
      cepstra[(clip * push.n_coefficients + coefficient) * push.n_frames + frame] = sum[i / 4][i % 4];
  }
}
