// From the transform of a frame's pairs of samples to the spectrum of the real frame.
#include "mirror.glsl"

// Makes the spectrum X of the real frame from the transform Z of its N_FFT / 2 pairs:
//   X[k] = (Z[k] + conj Z[H-k]) / 2 - i w^k (Z[k] - conj Z[H-k]) / 2,  w = exp(-2 pi i / N_FFT),
// and X[H-k] is the conjugate of the same with a minus. The halves are in the window table. Of each
// mirrored pair the lane with the smaller k does both: afterwards z[register_of(j)] is bin
// k = lane + LANES * j for j < POINTS / 2, and z[register_of(POINTS - 1 - j)] is bin HALF - k.
// Returns bin HALF / 2, which is lane 0's.
vec2 split_real() {
  const uint upper = POINTS / 2;
  const vec2 middle = z[register_of(upper)];
  put_upper_points();
  const vec2 split = tables[SPLIT_TABLE + lane];
  [[unroll]] for (uint j = 0; j < upper; ++j) {
    const uint k = lane + j * LANES;
    const uint opposite = j == 0 ? (HALF - k) % HALF : HALF - k;
    vec2 mirror = vec2(exchange[frame_base + (k ^ bank_shift)],
                       exchange[frame_base + (opposite ^ bank_shift)]);
    const vec2 own = z[register_of(j)];
    if (j == 0 && lane == 0) mirror = own;
    const vec2 even = vec2(own.x + mirror.x, own.y - mirror.y);
    const vec2 odd = vec2(own.x - mirror.x, own.y + mirror.y);
    const vec2 w = turned(split, j * (HALF_TURN / POINTS));
    const vec2 sum = vec2(fma(-w.y, odd.y, fma(w.x, odd.x, even.x)),
                          fma(w.y, odd.x, fma(w.x, odd.y, even.y)));
    z[register_of(j)] = sum;
    z[register_of(POINTS - 1 - j)] = vec2(2.0 * even.x - sum.x, sum.y - 2.0 * even.y);
  }
  return vec2(2.0, -2.0) * middle;
}

// Puts bins in their order into `exchange`, from `base` on: the real parts of what the includer made of
// them, as far as they are in pairs. Bin HALF / 2 is the includer's to put; bin HALF, in the last
// register of lane 0, has no place.
void store_bins(uint base) {
  [[unroll]] for (uint j = 0; j < POINTS / 2; ++j) {
    const uint k = lane + j * LANES;
    exchange[base + k] = z[register_of(j)].x;
    if (j > 0 || lane > 0) exchange[base + HALF - k] = z[register_of(POINTS - 1 - j)].x;
  }
}
