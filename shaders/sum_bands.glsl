// Bands of a group's frames: the transform (fft.glsl, split.glsl) of the samples in registers, powers, and
// their weighed sums (weigh.glsl). What the kernels of bands have in common; each has its own beginning and
// its own values of the sums. Needs `bands`, `band_quads` and `push`.
#include "weigh.glsl"
#define FRAME_FLOATS frame_stride
#define PITCH transform.pitch
#include "fft.glsl"
#include "split.glsl"
#include "levels.glsl"

layout(constant_id = 3) const uint power_kind = 2;  // 1 to 4; power_pushed: push.exponent

#define QUAD (FRAMES < 4 ? FRAMES : 4)

float power_of(vec2 x) {
  return power_of_square(square_of(x), power_kind, push.exponent);
}

// The samples in z become sums of bands, for band_of.
void sum_bands() {
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
}

// What the includer stores of a band's sum.
float value_of(uint band, uint frame);

// Stores values as (clips, bands, frames): frames of a band are neighbours. A thread stores four of them at a
// time where rows are aligned, and the next thread the next four. Gives the largest of its values.
float store_bands(uint clip, uint first_frame) {
  const uint n_frames = push.frames.n_frames, quads = FRAMES / QUAD;
  const bool aligned = QUAD == 4 && (push.row_frames & 3) == 0 && (push.row_first & 3) == 0;
  float largest = lowest_float;
  for (uint i = gl_LocalInvocationIndex; i < push.n_bands * quads; i += THREADS) {
    const uint band = i / quads, quad = i % quads * QUAD;
    const uint row = (clip * push.n_bands + band) * push.row_frames + push.row_first + first_frame;
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
  return largest;
}
