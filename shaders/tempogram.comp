// Tempograms: the autocorrelation of an onset envelope in a window around each frame (Grosche,
// Mueller and Kurth 2010), each frame divided by its norm.
//
// In: envelopes, (clips, values). Out: (clips, lags, frames). A workgroup has FRAMES neighbouring
// frames of one clip, which begin one value apart: what they cover is read once, into shared memory.
// Two transforms a frame (autocorrelate.glsl) do what win_length^2 / 2 products would. Then the lags
// lie in the frames' places of `exchange`, so that a row's neighbouring frames are stored side by
// side. A frame is scaled by a power of two, so that squares of envelopes of any size are floats;
// where it is divided by its norm, nothing is left of that.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "push/tempogram.h"
#include "group.glsl"
// For each power of two of transform_rows.

layout(constant_id = 0) const uint norm_kind = norm_maximum;
layout(set = 0, binding = 2, std430) writeonly buffer Tempogram { float tempogram[]; };
layout(push_constant) uniform Push { TempogramPush push; };

shared float exchange[FRAMES * HALF];
shared uint peaks[FRAMES];
#include "fft.glsl"
#include "autocorrelate.glsl"
#include "samples.glsl"
#include "levels.glsl"

// What the group's frames cover, from the first one's first value on; zeros behind.
void load_envelope(uint clip, uint first_frame) {
  const uint frames = min(FRAMES, push.frames.n_frames - first_frame);
  const int first = int(push.frames.first_frame + first_frame) - int(push.frames.pad);
  for (uint i = gl_LocalInvocationIndex; i < HALF + FRAMES - 1; i += THREADS)
    exchange[i] = i < push.win_length + frames - 1
                      ? padded_sample(push.frames, clip, first + int(i))
                      : 0.0;
  if (gl_LocalInvocationIndex < FRAMES) peaks[gl_LocalInvocationIndex] = 0;
  barrier();
}

// A number times 2^-64, by its exponent alone. Values near the largest float are lowered before they are
// scaled: a compiler may make (a + b) * s of a * s + b * s, and a + b would overflow.
const uint lowering = 64u << 23, large = (127u + 64u) << 23;
float lowered(float number) {
  const uint bits = floatBitsToUint(number);
  return (bits & 0x7f800000u) > lowering ? uintBitsToFloat(bits - lowering) : 0.0;
}

// The windowed frame, scaled so that its largest value is between 1 and 2, and zeros behind. Returns
// what undoes the scaling.
float load_scaled() {
  float peak = 0.0;
  [[unroll]] for (uint j = 0; j < POINTS / 2; ++j) {
    const uint m = lane + j * LANES, place = frame_slot + 2 * m;
    z[j] = vec2(exchange[place], exchange[place + 1]) * tables[m];
    z[POINTS / 2 + j] = vec2(0.0);
    peak = max(peak, max(abs(z[j].x), abs(z[j].y)));
  }
  atomicMax(peaks[frame_slot], floatBitsToUint(peak));
  barrier();
  // Exponents from 1, which zeros have too, to the largest; numbers that are not finite stay so.
  const uint exponent = min(peaks[frame_slot] & 0x7f800000u, 0x7e800000u);
  const bool is_finite = peaks[frame_slot] < 0x7f800000u;
  if (is_finite && exponent > large) {
    [[unroll]] for (uint j = 0; j < POINTS / 2; ++j)
      z[j] = vec2(lowered(z[j].x), lowered(z[j].y));
  }
  const uint left = is_finite && exponent > large ? exponent - lowering : exponent;
  const float scale = uintBitsToFloat(0x7f000000u - left);
  [[unroll]] for (uint j = 0; j < POINTS / 2; ++j) z[j] *= scale;
  return uintBitsToFloat(exponent);
}

// What each lag of the frame is multiplied with.
float factor_of_frame(float unscale) {
  const float whole = 1.0 / float(N_FFT);
  if (norm_kind == norm_none) return whole * unscale * unscale;
  float total = 0.0;
  [[unroll]] for (uint j = 0; j < POINTS / 2; ++j) {
    const uint lag = 2 * (lane + j * LANES);
    if (lag < push.win_length)
      total = add_to_norm(total, whole * even_lag(j), norm_kind, push.norm);
    if (lag + 1 < push.win_length)
      total = add_to_norm(total, whole * odd_lag(j), norm_kind, push.norm);
  }
  exchange[frame_base + lane] = total;
  barrier();
  total = 0.0;
  for (uint i = 0; i < LANES; ++i) {
    const float part = exchange[frame_base + i];
    total = norm_kind == norm_maximum ? max(total, part) : total + part;
  }
  barrier();
  return whole / finish_norm(total, norm_kind, push.norm, 1.0);
}

// Where a lag of a frame is kept: four lags of eight frames are in different banks.
uint place_of(uint slot, uint lag) { return slot * HALF + (lag ^ (4 * slot & 31)); }

void main() {
  const uint clip = group_row();
  if (clip >= push.frames.n_clips) return;
  place_thread();
  const uint first_frame = gl_WorkGroupID.x * FRAMES;
  load_envelope(clip, first_frame);
  const float unscale = load_scaled();
  correlate_points();
  const float factor = factor_of_frame(unscale);
  [[unroll]] for (uint j = 0; j < POINTS / 2; ++j) {
    const uint lag = 2 * (lane + j * LANES);
    exchange[place_of(frame_slot, lag)] = factor * even_lag(j);
    exchange[place_of(frame_slot, lag + 1)] = factor * odd_lag(j);
  }
  barrier();
  for (uint i = gl_LocalInvocationIndex; i < push.win_length * FRAMES; i += THREADS) {
    const uint lag = i / FRAMES, slot = i % FRAMES;
    if (first_frame + slot < push.frames.n_frames)
      tempogram[(clip * push.win_length + lag) * push.frames.n_frames + first_frame + slot] =
          exchange[place_of(slot, lag)];
  }
}
