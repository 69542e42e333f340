// Bands of the power of a spectrum, fused with the transform: audio to (clips, bands, frames), in
// decibels with each clip's maximum where wanted, or to normalised (clips, frames, bands).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "push/bands.h"
#include "group.glsl"
// N_FFT: 256 512 1024 2048 4096 8192

layout(constant_id = 0) const uint task_rounds = 1;       // tasks of a thread, at most 4
layout(constant_id = 1) const uint frame_stride = HALF;   // floats of a frame in `exchange`
layout(constant_id = 2) const bool paired = true;         // see weigh_bins
layout(constant_id = 3) const uint power_kind = 2;        // 1 to 4; 0: by push.exponent
layout(constant_id = 4) const bool decibels = false;
layout(constant_id = 5) const uint norm_kind = 0;
layout(constant_id = 6) const bool nyquist = false;      // whether a band weighs the last bin
layout(set = 0, binding = 2, std430) writeonly buffer Bands { float bands[]; };
layout(set = 0, binding = 2, std430) writeonly buffer BandQuads { vec4 band_quads[]; };
// For each task its first bin and its number; the last bin's weights; weights[step][task].
layout(set = 0, binding = 3, std430) readonly buffer Weights { float weights[]; };
layout(set = 0, binding = 3, std430) readonly buffer WeightPairs { vec2 weight_pairs[]; };
layout(set = 0, binding = 4, std430) buffer Maxima { uint maxima[]; };
layout(push_constant) uniform Push { BandsPush push; };

shared float exchange[FRAMES * frame_stride];
#include "fft.glsl"
#include "frames.glsl"
#include "levels.glsl"
#include "maximum.glsl"

#define QUAD (FRAMES < 4 ? FRAMES : 4)
#define MAX_ROUNDS (512 / THREADS)
#define IDLE 0xffff
float low[MAX_ROUNDS * FRAMES], high[MAX_ROUNDS * FRAMES];

float power_of(vec2 x) { return power_of_square(fma(x.x, x.x, x.y * x.y), power_kind, push.exponent); }

// Every task sums a run of bins of all frames, so that a weight once loaded serves them all. Paired:
// task i has the bins between the centres of band i and i + 1, each with its weight in both. Else
// a task is a part of a band. Sums rise with the bins: the same order whatever the device.
void weigh_bins(const uint round_, uint first_bin) {
  const uint thread = gl_LocalInvocationIndex;
  const uint step = push.steps[round_ * (THREADS / 32) + thread / 32];
  const uint count = step & 0xffff;
  const uint row = (task_rounds * THREADS + push.n_bands + 31) / 32 + (step >> 16) * (paired ? 2 : 1);
  [[unroll]] for (uint quad = 0; quad < FRAMES; quad += QUAD) {
    uint place = quad * frame_stride + first_bin;
    uint weight = (thread & 31) + row * (paired ? 16 : 32);
    float lows[QUAD], highs[QUAD];
    [[unroll]] for (uint f = 0; f < QUAD; ++f) lows[f] = highs[f] = 0.0;
    for (uint i = 0; i < count; ++i) {
      const vec2 w = paired ? weight_pairs[weight] : vec2(weights[weight], 0.0);
      [[unroll]] for (uint f = 0; f < QUAD; ++f) {
        const float power = exchange[place + f * frame_stride];
        lows[f] = fma(w.x, power, lows[f]);
        if (paired) highs[f] = fma(w.y, power, highs[f]);
      }
      ++place;
      weight += 32;
    }
    [[unroll]] for (uint f = 0; f < QUAD; ++f) {
      low[round_ * FRAMES + quad + f] = lows[f];
      high[round_ * FRAMES + quad + f] = highs[f];
    }
  }
}

float band_of(uint band, uint frame, uint slots) {
  const uint base = frame * frame_stride;
  float sum;
  if (paired) {
    sum = exchange[base + band];
    if (band > 0) sum += exchange[base + push.n_bands + band - 1];
  } else {
    sum = 0.0;
    for (uint part = 0; part < push.parts; ++part) sum += exchange[base + band * push.parts + part];
  }
  if (nyquist)
    sum = fma(weights[task_rounds * THREADS + band], exchange[base + slots], sum);
  return decibels ? to_decibels(sum, push.amin) : sum;
}

// (clips, bands, frames): four frames of a band in one store where rows are aligned.
float store_bands(uint clip, uint first_frame, uint slots) {
  const uint n_frames = push.frames.n_frames;
  const bool aligned = QUAD == 4 && (push.row_frames & 3) == 0 && (push.row_first & 3) == 0;
  float largest = lowest_level;
  for (uint band = gl_LocalInvocationIndex; band < push.n_bands; band += THREADS) {
    const uint row = (clip * push.n_bands + band) * push.row_frames + push.row_first + first_frame;
    [[unroll]] for (uint quad = 0; quad < FRAMES; quad += QUAD) {
      float value[4] = float[](0.0, 0.0, 0.0, 0.0);
      [[unroll]] for (uint f = 0; f < QUAD; ++f) {
        value[f] = band_of(band, quad + f, slots);
        if (first_frame + quad + f < n_frames) largest = max(largest, value[f]);
      }
      if (aligned && first_frame + quad + 4 <= n_frames) {
        band_quads[(row + quad) / 4] = vec4(value[0], value[1], value[2], value[3]);
      } else {
        [[unroll]] for (uint f = 0; f < QUAD; ++f)
          if (first_frame + quad + f < n_frames) bands[row + quad + f] = value[f];
      }
    }
  }
  return largest;
}

// (clips, frames, bands), each frame divided by its norm; at most THREADS bands.
void store_normalised(uint clip, uint first_frame, uint slots) {
  const uint thread = gl_LocalInvocationIndex;
  float value[FRAMES];
  if (thread < push.n_bands)
    [[unroll]] for (uint f = 0; f < FRAMES; ++f) value[f] = band_of(thread, f, slots);
  barrier();
  if (thread < push.n_bands)
    [[unroll]] for (uint f = 0; f < FRAMES; ++f) exchange[f * frame_stride + thread] = value[f];
  barrier();
  for (uint i = thread; i < FRAMES * push.n_bands; i += THREADS) {
    const uint frame = i / push.n_bands, base = frame * frame_stride;
    if (first_frame + frame >= push.frames.n_frames) return;
    float total = norm_kind == NORM_MINIMUM ? infinity() : 0.0;
    for (uint band = 0; band < push.n_bands; ++band)
      total = add_to_norm(total, exchange[base + band], norm_kind, push.norm);
    const float length_ = finish_norm(total, norm_kind, push.norm);
    bands[(clip * push.row_frames + push.row_first + first_frame) * push.n_bands + i] =
        exchange[base + i - frame * push.n_bands] / length_;
  }
}

void main() {
  const uint thread = gl_LocalInvocationIndex;
  const uint clip = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
  if (clip >= push.frames.n_clips) return;
  uint task[MAX_ROUNDS];
  [[unroll]] for (uint r = 0; r < MAX_ROUNDS; ++r)
    task[r] = r < task_rounds ? floatBitsToUint(weights[r * THREADS + thread]) : 0;
  place_thread();
  const uint first_frame = gl_WorkGroupID.x * FRAMES;
  load_frame(push.frames, clip, first_frame + frame_slot);
  transform_points();
  const vec2 middle = split_real();
  // The powers take the places that split_real left, or, laid out otherwise, wait for all of it.
  [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j].x = power_of(z[j]);
  if (LANES < 32 || frame_stride != HALF) barrier();
  const uint power_base = frame_slot * frame_stride;
  [[unroll]] for (uint j = 0; j < POINTS / 2; ++j) {
    const uint k = lane + j * LANES;
    exchange[power_base + k] = z[register_of(j)].x;
    if (j > 0 || lane > 0) exchange[power_base + HALF - k] = z[register_of(POINTS - 1 - j)].x;
  }
  if (lane == 0) exchange[power_base + HALF / 2] = power_of(middle);
  barrier();
  [[unroll]] for (uint r = 0; r < MAX_ROUNDS; ++r)
    if (r < task_rounds) weigh_bins(r, task[r] & 0xffff);
  barrier();
  // The sums take the powers' place, and behind them the last bin.
  const uint slots = paired ? 2 * push.n_bands : push.n_bands * push.parts;
  [[unroll]] for (uint r = 0; r < MAX_ROUNDS; ++r)
    if (r < task_rounds && task[r] >> 16 != IDLE)
      [[unroll]] for (uint f = 0; f < FRAMES; ++f) {
        const uint place = f * frame_stride + (task[r] >> 16);
        exchange[place] = low[r * FRAMES + f];
        if (paired) exchange[place + push.n_bands] = high[r * FRAMES + f];
      }
  if (nyquist && lane == 0) exchange[power_base + slots] = z[register_of(POINTS - 1)].x;
  barrier();
  if (norm_kind > 0) {
    store_normalised(clip, first_frame, slots);
  } else {
    const float largest = store_bands(clip, first_frame, slots);
    if (decibels) keep_maximum(clip, largest);
  }
}
