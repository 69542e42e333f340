// Bands (mel, chroma) of audio: frame, window, FFT, power, weighted sums, in one kernel. The
// spectrum never reaches device memory, which would take longer than the transform.
//
// A workgroup has FRAMES frames of one clip. In: audio, (clips, samples). Between the passes the
// frames lie in `exchange` in shared memory, frame_stride floats each: first the points of the
// transform, then the powers of the bins, then the sums of the bands, each in the place of the one
// before. Out: (clips, bands, frames), in decibels where wanted, with each clip's maximum for the
// later limit of top_db; or, for chroma, (clips, frames, bands), each frame divided by its norm.
// Frames of a band are neighbours in the output, so a thread stores four of them at a time.
// The transform is fft.glsl, the weighing weigh.glsl.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "push/bands.h"
#include "group.glsl"
// For each of transform_rows.

layout(constant_id = 3) const uint power_kind = 2;  // 1 to 4; power_pushed: push.exponent
layout(constant_id = 4) const bool decibels = false;
layout(constant_id = 5) const uint norm_kind = 0;
layout(set = 0, binding = 2, std430) writeonly buffer Bands { float bands[]; };
layout(set = 0, binding = 2, std430) writeonly buffer BandQuads { vec4 band_quads[]; };
layout(set = 0, binding = 4, std430) buffer Maxima { uint maxima[]; };
layout(push_constant) uniform Push { BandsPush push; };

#include "weigh.glsl"
#include "fft.glsl"
#include "split.glsl"
#include "frames.glsl"
#include "levels.glsl"
#include "maximum.glsl"

#define QUAD (FRAMES < 4 ? FRAMES : 4)

float power_of(vec2 x) {
  return power_of_square(square_of(x), power_kind, push.exponent);
}

float value_of(uint band, uint frame) {
  const float sum = band_of(band, frame);
  return decibels ? to_decibels(sum, push.amin) : sum;
}

// (clips, bands, frames): four frames of a band in one store where rows are aligned.
float store_bands(uint clip, uint first_frame) {
  const uint n_frames = push.frames.n_frames;
  const bool aligned = QUAD == 4 && (push.row_frames & 3) == 0 && (push.row_first & 3) == 0;
  float largest = lowest_float;
  for (uint band = gl_LocalInvocationIndex; band < push.n_bands; band += THREADS) {
    const uint row = (clip * push.n_bands + band) * push.row_frames + push.row_first + first_frame;
    [[unroll]] for (uint quad = 0; quad < FRAMES; quad += QUAD) {
      float value[4] = float[](0.0, 0.0, 0.0, 0.0);
      [[unroll]] for (uint f = 0; f < QUAD; ++f) {
        value[f] = value_of(band, quad + f);
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
void store_normalised(uint clip, uint first_frame) {
  const uint thread = gl_LocalInvocationIndex;
  float value[FRAMES];
  if (thread < push.n_bands)
    [[unroll]] for (uint f = 0; f < FRAMES; ++f) value[f] = value_of(thread, f);
  barrier();
  if (thread < push.n_bands)
    [[unroll]] for (uint f = 0; f < FRAMES; ++f) exchange[f * frame_stride + thread] = value[f];
  barrier();
  for (uint i = thread; i < FRAMES * push.n_bands; i += THREADS) {
    const uint frame = i / push.n_bands, base = frame * frame_stride;
    if (first_frame + frame >= push.frames.n_frames) return;
    float scale = 1.0;
    if (norm_kind == norm_euclid || norm_kind == norm_power) {
      float largest = 0.0;
      for (uint band = 0; band < push.n_bands; ++band)
        largest = max(largest, abs(exchange[base + band]));
      scale = scale_of(largest);
    }
    float total = norm_kind == norm_minimum ? infinity() : 0.0;
    for (uint band = 0; band < push.n_bands; ++band) {
      precise const float value = scale * exchange[base + band];
      total = add_to_norm(total, value, norm_kind, push.norm);
    }
    const float length_ = finish_norm(total, norm_kind, push.norm, scale);
    bands[(clip * push.row_frames + push.row_first + first_frame) * push.n_bands + i] =
        exchange[base + i - frame * push.n_bands] / length_;
  }
}

void main() {
  const uint clip = group_row();
  if (clip >= push.frames.n_clips) return;
  load_tasks();
  place_thread();
  const uint first_frame = gl_WorkGroupID.x * FRAMES;
  load_frame(push.frames, clip, first_frame + frame_slot);
  transform_points();
  const vec2 middle = split_real();
  // The powers take the places of the points, or, where these are laid out otherwise, wait until
  // all of them were read.
  [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j].x = power_of(z[j]);
  if (LANES < warp || frame_stride != HALF) barrier();
  const uint power_base = frame_slot * frame_stride;
  store_bins(power_base);
  if (lane == 0) exchange[power_base + HALF / 2] = power_of(middle);
  barrier();
  weigh_bins();
  if (nyquist && lane == 0) exchange[power_base + 2 * n_tasks()] = z[register_of(POINTS - 1)].x;
  barrier();
  if (norm_kind > 0) {
    store_normalised(clip, first_frame);
  } else {
    const float largest = store_bands(clip, first_frame);
    if (decibels) keep_maximum(clip, largest);
  }
}
