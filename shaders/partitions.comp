// Convolution by partitions, in the frequency domain: Y[t] = sum over k of X[t - k] H[k] for each
// bin, with X the spectra of a signal's blocks and H those of a response's partitions (Stockham
// 1966; Gardner 1995).
//
// In: X, (clips, held blocks, bins), and H, (clips or 1, partitions, bins). Out: Y, (clips, blocks,
// bins). A thread has one bin of partition_blocks neighbouring blocks of Y, and adds a few partitions
// at a time: for each it needs as many blocks of X, which for the next partition are the same but
// for one. They are in registers, a window that moves along X. Sums are in the order of the
// partitions, whatever the piece.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/convolve.h"
#include "row.glsl"
#define TILE partition_blocks
#define STEPS partition_steps
layout(local_size_x = partition_threads) in;
layout(set = 0, binding = 0, std430) readonly buffer Signal { vec2 signal[]; };
layout(set = 0, binding = 1, std430) readonly buffer Response { vec2 response[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Product { vec2 product[]; };
layout(push_constant) uniform Push { ConvolvePush push; };

// A bin of the signal's block t, zero beyond its ends.
vec2 signal_bin(uint row, int t) {
  const uint held = uint(t - int(push.first_held));
  return held < push.n_held ? signal[row + held * push.n_bins] : vec2(0.0);
}

void main() {
  const uint n_tiles = (push.n_blocks + TILE - 1) / TILE;
  const uint row = group_row();
  const uint clip = row / n_tiles, tile = row % n_tiles;
  const uint bin = gl_GlobalInvocationID.x;
  if (clip >= push.n_clips || bin >= push.n_bins) return;
  const uint signal_row = clip * push.n_held * push.n_bins + bin;
  const int first = int(push.first_block + tile * TILE);
  // Partitions that meet blocks of the signal.
  const int begin = max(0, first - int(push.n_signal) + 1);
  const int end = min(int(push.n_parts), first + int(TILE));
  const uint response_row = push.own_parts * clip * push.n_parts * push.n_bins + bin;

  // blocks[j] is block first - part - STEPS + 1 + j of the signal.
  vec2 sums[TILE], blocks[TILE + STEPS - 1];
  [[unroll]] for (uint i = 0; i < TILE; ++i) sums[i] = vec2(0.0);
  [[unroll]] for (uint i = 1; i < TILE; ++i)
    blocks[STEPS - 1 + i] = signal_bin(signal_row, first - begin + int(i));
  for (int part = begin; part < end; part += int(STEPS)) {
    [[unroll]] for (uint step = 0; step < STEPS; ++step) {
      const int k = part + int(step);
      const vec2 h = k < end ? response[response_row + uint(k) * push.n_bins] : vec2(0.0);
      blocks[STEPS - 1 - step] = signal_bin(signal_row, first - k);
      [[unroll]] for (uint i = 0; i < TILE; ++i) {
        const vec2 x = blocks[STEPS - 1 - step + i];
        sums[i] = vec2(fma(-x.y, h.y, fma(x.x, h.x, sums[i].x)),
                       fma(x.y, h.x, fma(x.x, h.y, sums[i].y)));
      }
    }
    [[unroll]] for (uint i = TILE - 1; i > 0; --i) blocks[STEPS - 1 + i] = blocks[i - 1];
  }
  [[unroll]] for (uint i = 0; i < TILE; ++i) {
    const uint block = tile * TILE + i;
    if (block < push.n_blocks)
      product[(clip * push.n_blocks + block) * push.n_bins + bin] = sums[i];
  }
}
