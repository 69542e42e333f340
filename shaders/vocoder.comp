// The phase vocoder (Flanagan and Golden 1966): spectra at other times, with phases that go on.
//
// In and out: (clips, frames, bins). Angles are whole numbers, 2^32 of them a turn, which add
// without rounding and wrap by themselves: so the sum over thousands of frames is as good as its
// angles, and is the same in any order. A group has 32 neighbouring bins of a clip and goes through
// the times in blocks; its warps share a block out, take what phases gain over their part of it,
// and add up what the parts before theirs gained.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/vocoder.h"
#define THREADS vocoder_threads
#define PARTS (THREADS / warp)
#define STEPS 8  // times in a part
layout(local_size_x = THREADS) in;

layout(set = 0, binding = 0, std430) readonly buffer Spectra { vec2 spectra[]; };
// For each time the frame before it (with vocoder_still, from which the phase does not advance),
// and its distance from there to the next frame.
layout(set = 0, binding = 1, std430) readonly buffer Times { uvec2 times[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Results { vec2 results[]; };
layout(push_constant) uniform Push { VocoderPush push; };

#include "floats.glsl"
#include "row.glsl"
#include "turns.glsl"

shared uint gained_by[THREADS];
shared uint broken_in[THREADS];

void main() {
  const uint thread = gl_LocalInvocationIndex;
  const uint bin = gl_WorkGroupID.x * warp + thread % warp, part = thread / warp;
  const uint clip = group_row();
  if (clip >= push.n_clips) return;
  const bool inside = bin < push.n_bins;
  const uint column = clip * push.n_frames * push.n_bins + min(bin, push.n_bins - 1);
  const Polar start = polar_of(spectra[column + push.first * push.n_bins]);
  uint phase = start.turns, broken = start.broken;
  Polar from, to;
  uint held = vocoder_still;  // the frame that `from` holds; none at first
  for (uint first = 0; first < push.n_times; first += PARTS * STEPS) {
    uint gain[STEPS], breaks[STEPS], gained = 0, breaking = 0;
    float size[STEPS];
    [[unroll]] for (uint s = 0; s < STEPS; ++s) {
      const uint k = first + part * STEPS + s;
      gain[s] = breaks[s] = 0;
      size[s] = 0.0;
      if (k >= push.n_times) continue;
      const uint low = times[k].x & ~vocoder_still;
      if (low != held) {
        if (low == held + 1)
          from = to;
        else
          from = polar_of(spectra[column + low * push.n_bins]);
        to = polar_of(spectra[column + min(low + 1, push.n_frames - 1) * push.n_bins]);
        held = low;
      }
      size[s] = fma(to.size - from.size, uintBitsToFloat(times[k].y), from.size);
      if ((times[k].x & vocoder_still) == 0) gain[s] = to.turns - from.turns;
      breaks[s] = from.broken | to.broken;
      gained += gain[s];
      breaking |= breaks[s];
    }
    gained_by[thread] = gained;
    broken_in[thread] = breaking;
    barrier();
    uint here = phase, broken_here = broken;
    [[unroll]] for (uint p = 0; p < PARTS; ++p) {
      const uint place = p * warp + thread % warp;
      if (p < part) {
        here += gained_by[place];
        broken_here |= broken_in[place];
      }
      phase += gained_by[place];
      broken |= broken_in[place];
    }
    barrier();
    [[unroll]] for (uint s = 0; s < STEPS; ++s) {
      const uint k = first + part * STEPS + s;
      if (k >= push.n_times || !inside) continue;
      // Behind a number that is not finite the phase is undefined.
      broken_here |= breaks[s];
      results[(clip * push.n_times + k) * push.n_bins + bin] =
          broken_here != 0 ? vec2(not_a_number()) : size[s] * direction_of(here);
      here += gain[s];
    }
  }
}
