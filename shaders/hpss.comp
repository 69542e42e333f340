// Harmonic-percussive separation by median filters (Fitzgerald 2010): the median of the magnitudes
// along time keeps what lasts, along frequency what is broadband; the two make soft masks, applied
// to the spectrum or on their own.
//
// All arrays are (clips, rows, cols). A thread has one value: it reads both windows around it, and
// neighbouring threads have neighbouring columns, so their reads are runs of memory and mostly
// cached. A sorting network in registers (median.glsl) finds each median: no branches and no shared
// memory. A piece of a clip holds rows [held_first, held_first + held_rows), its own and half a
// window around them; windows are mirrored at the ends of the clip, not of the piece.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/hpss.h"
layout(local_size_x = hpss_threads) in;

layout(constant_id = 0) const uint power_kind = 2;  // 1, 2, mask_winner; power_pushed: push.power
layout(constant_id = 1) const bool masks_only = false;
// the spectrum is real, and so its own magnitudes
layout(constant_id = 2) const bool is_real = false;
layout(set = 0, binding = 0, std430) readonly buffer Spectrum { vec2 spectrum[]; };
layout(set = 0, binding = 1, std430) readonly buffer Magnitudes { float magnitudes[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Harmonic { vec2 harmonic[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Percussive { vec2 percussive[]; };
layout(set = 0, binding = 2, std430) writeonly buffer HarmonicReal { float harmonic_real[]; };
layout(set = 0, binding = 3, std430) writeonly buffer PercussiveReal { float percussive_real[]; };
layout(push_constant) uniform Push { HpssPush push; };

#include "floats.glsl"
#include "median.glsl"
#include "row.glsl"

// Mirrored at both ends, again and again, the end itself twice.
uint reflected(int position, uint n) {
  const uint period = 2 * n;
  const uint phase = uint(position < 0 ? -1 - position : position) % period;
  return phase < n ? phase : period - 1 - phase;
}

float median_down(uint clip, uint row, uint col) {
  [[unroll]] for (uint i = 0; i < NETWORK; ++i) {
    const uint from = reflected(int(row + i) - int(push.row_size / 2), push.clip_rows);
    sorted[i] = i < push.row_size ? magnitudes[(clip * push.held_rows + from - push.held_first) *
                                                   push.n_cols + col]
                                  : filler(i, push.row_size);
  }
  return middle_value();
}

float median_across(uint clip, uint row, uint col) {
  const uint base = (clip * push.held_rows + row - push.held_first) * push.n_cols;
  [[unroll]] for (uint i = 0; i < NETWORK; ++i)
    sorted[i] = i < push.column_size
                    ? magnitudes[base + reflected(int(col + i) - int(push.column_size / 2),
                                                  push.n_cols)]
                    : filler(i, push.column_size);
  return middle_value();
}

float raised(float x) {
  if (power_kind == 1) return x;
  if (power_kind == 2) return x * x;
  return x > 0.0 ? exp2(push.power * log2(x)) : 0.0;
}

float mask(float x, float other) {
  // Negative values are possible only in a real spectrogram that is on the device, where the host
  // could not check it: the result is NaN.
  if (is_real && min(x, other) < 0.0) return not_a_number();
  if (power_kind == mask_winner) return x > other ? 1.0 : 0.0;
  const float most = max(x, other);
  if (most < smallest_normal) return push.silent;
  const float a = raised(x / most), b = raised(other / most);
  return a / (a + b);
}

void main() {
  const uint clip_row = group_row();
  const uint col = gl_GlobalInvocationID.x;
  if (clip_row >= push.n_clips * push.n_rows || col >= push.n_cols) return;
  const uint clip = clip_row / push.n_rows, row = push.first_row + clip_row % push.n_rows;
  const float down = median_down(clip, row, col), across = median_across(clip, row, col);
  const float h = push.rows_harmonic != 0 ? down : across;
  const float p = push.rows_harmonic != 0 ? across : down;
  const float mask_h = mask(h, p * push.margin_harmonic), mask_p = mask(p, h * push.margin_percussive);
  const uint to = clip_row * push.n_cols + col;
  const uint from = (clip * push.held_rows + row - push.held_first) * push.n_cols + col;
  if (masks_only || is_real) {
    const float x = masks_only ? 1.0 : magnitudes[from];
    harmonic_real[to] = x * mask_h;
    percussive_real[to] = x * mask_p;
  } else {
    harmonic[to] = spectrum[from] * mask_h;
    percussive[to] = spectrum[from] * mask_p;
  }
}
