// From the transform of a frame's pairs of samples to the spectrum of the real frame.

// Makes the spectrum X of the real frame from the transform Z of its N_FFT / 2 pairs:
//   X[k] = (Z[k] + conj Z[H-k]) / 2 - i w^k (Z[k] - conj Z[H-k]) / 2,  w = exp(-2 pi i / N_FFT),
// and X[H-k] is the conjugate of the same with a minus. The halves are in the window table. Of each
// mirrored pair the lane with the smaller k does both: afterwards z[register_of(j)] is bin
// k = lane + LANES * j for j < POINTS / 2, and z[register_of(POINTS - 1 - j)] is bin HALF - k.
// It reads Z[H-k] from the places k and HALF - k of the frame in `exchange`, which nobody else
// reads: what the bins become can take them without a barrier.
// Returns bin HALF / 2, which is lane 0's.
vec2 split_real() {
  const uint upper = POINTS / 2;
  const vec2 middle = z[register_of(upper)];
  [[unroll]] for (uint j = upper; j < POINTS; ++j) {
    const uint k = lane + j * LANES;
    exchange[frame_base + ((HALF - k) ^ bank_shift)] = z[register_of(j)].x;
    if (j > upper || lane > 0) exchange[frame_base + (k ^ bank_shift)] = z[register_of(j)].y;
  }
  barrier();
  const vec2 split = tables[SPLIT_TABLE + lane];
  [[unroll]] for (uint j = 0; j < upper; ++j) {
    const uint k = lane + j * LANES;
    const uint opposite = j == 0 ? (HALF - k) & (HALF - 1) : HALF - k;
    vec2 mirror = vec2(exchange[frame_base + (k ^ bank_shift)],
                       exchange[frame_base + (opposite ^ bank_shift)]);
    const vec2 own = z[register_of(j)];
    if (j == 0 && lane == 0) mirror = own;
    const vec2 even = vec2(own.x + mirror.x, own.y - mirror.y);
    const vec2 odd = vec2(own.x - mirror.x, own.y + mirror.y);
    const vec2 w = turned(split, j * (32 / POINTS));
    const vec2 sum = vec2(fma(-w.y, odd.y, fma(w.x, odd.x, even.x)),
                          fma(w.y, odd.x, fma(w.x, odd.y, even.y)));
    z[register_of(j)] = sum;
    z[register_of(POINTS - 1 - j)] = vec2(2.0 * even.x - sum.x, sum.y - 2.0 * even.y);
  }
  return vec2(2.0, -2.0) * middle;
}
