// Convolution by partitions, in the frequency domain: Y[t] = sum over k of X[t - k] H[k] for each
// bin, with X the spectra of a signal's blocks and H those of a response's partitions (Stockham
// 1966; Gardner 1995).
//
// In: X, (clips, held blocks, bins), and H, (clips or 1, partitions, bins). Out: Y, (clips, blocks,
// bins). A thread has one bin of partition_blocks neighbouring blocks of Y. It needs as many blocks
// of X at a time, one later than the other: from partition to partition each moves on by one place,
// so one is loaded, and the others stay in the registers where they are. Sums are in the order of
// the partitions, whatever the piece.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/convolve.h"
#define TILE partition_blocks
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
  const uint row = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
  const uint clip = row / n_tiles, tile = row % n_tiles;
  const uint bin = gl_GlobalInvocationID.x;
  if (clip >= push.n_clips || bin >= push.n_bins) return;
  const uint signal_row = clip * push.n_held * push.n_bins + bin;
  const int first = int(push.first_block + tile * TILE);
  // Partitions that meet blocks of the signal.
  const int begin = max(0, first - int(push.n_signal) + 1);
  const int end = min(int(push.n_parts), first + int(TILE));
  uint at = (push.own_parts * clip * push.n_parts + uint(begin)) * push.n_bins + bin;

  // In step k block t is in place t - first + begin + k, modulo TILE.
  vec2 sums[TILE], blocks[TILE];
  [[unroll]] for (uint i = 0; i < TILE; ++i) sums[i] = vec2(0.0);
  [[unroll]] for (uint i = 1; i < TILE; ++i)
    blocks[i] = signal_bin(signal_row, first - begin + int(i));
  for (int part = begin; part < end; part += int(TILE)) {
    [[unroll]] for (uint step = 0; step < TILE; ++step) {
      if (part + int(step) < end) {
        const vec2 h = response[at];
        blocks[(TILE - step) % TILE] = signal_bin(signal_row, first - part - int(step));
        [[unroll]] for (uint i = 0; i < TILE; ++i) {
          const vec2 x = blocks[(i + TILE - step) % TILE];
          sums[i] = vec2(fma(-x.y, h.y, fma(x.x, h.x, sums[i].x)),
                         fma(x.y, h.x, fma(x.x, h.y, sums[i].y)));
        }
        at += push.n_bins;
      }
    }
  }
  [[unroll]] for (uint i = 0; i < TILE; ++i) {
    const uint block = tile * TILE + i;
    if (block < push.n_blocks)
      product[(clip * push.n_blocks + block) * push.n_bins + bin] = sums[i];
  }
}
