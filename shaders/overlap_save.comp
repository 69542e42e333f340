// The last step of convolution by overlap-save (Stockham 1966): spectra of blocks back to samples.
// Of the N_FFT samples of a block the second half is the result; the first half is what wraps
// around.
//
// In: spectra, (clips, blocks, bins). Out: results, (clips, results). Groups are as for inverse.comp.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "push/convolve.h"
#define SINGLE_FRAMES
#include "group.glsl"
// For each power of two of transform_rows.
layout(set = 0, binding = 0, std430) readonly buffer Spectrum { vec2 spectrum[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Results { float results[]; };
layout(set = 0, binding = 2, std430) writeonly buffer ResultPairs { vec2 result_pairs[]; };
layout(push_constant) uniform Push { ConvolvePush push; };

shared float exchange[FRAMES * HALF];
#include "fft.glsl"
#include "join.glsl"

void main() {
  const uint clip = group_row();
  if (clip >= push.n_clips) return;
  place_thread();
  const uint block = gl_WorkGroupID.x * FRAMES + frame_slot;
  join_real((clip * push.n_blocks + min(block, push.n_blocks - 1)) * (HALF + 1));
  transform_points();
  if (block >= push.n_blocks) return;
  const float factor = 1.0 / float(N_FFT);
  // The block's first result among those of the piece, which may begin within it.
  const int first = int((push.first_block + block) * HALF) - int(push.first_result);
  const bool is_whole = first >= 0 && first + HALF <= int(push.n_results);
  const uint row = clip * push.n_results + uint(first);
  [[unroll]] for (uint j = POINTS / 2; j < POINTS; ++j) {
    const uint i = 2 * (lane + (j - POINTS / 2) * LANES);
    const vec2 pair = factor * z[register_of(j)].yx;
    if (is_whole && (row & 1) == 0) {
      result_pairs[(row + i) / 2] = pair;
    } else {
      if (uint(first + int(i)) < push.n_results) results[row + i] = pair.x;
      if (uint(first + int(i) + 1) < push.n_results) results[row + i + 1] = pair.y;
    }
  }
}
