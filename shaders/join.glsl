// From the spectrum of a real frame to the points of its pairs of samples: the way back of
// split.glsl.

// The points Z[k] = X[k] + conj X[H-k] + i conj(w^k) (X[k] - conj X[H-k]) of the spectrum X at `row`
// of `spectrum`, which the includer declares, with w = exp(-2 pi i / N_FFT). Their real and imaginary
// parts are swapped: the forward transform then leads back, with parts swapped again. Imaginary
// parts of the first and the last bin do not count: a real frame has none.
void join_real(uint row) {
  const vec2 split = tables[SPLIT_TABLE + lane];
  [[unroll]] for (uint j = 0; j < POINTS; ++j) {
    const uint k = lane + j * LANES;
    vec2 own = spectrum[row + k], mirror = spectrum[row + HALF - k];
    if (j == 0 && lane == 0) own.y = mirror.y = 0.0;
    const vec2 even = vec2(own.x + mirror.x, own.y - mirror.y);
    const vec2 odd = vec2(own.x - mirror.x, own.y + mirror.y);
    const vec2 w = turned(split, j * (HALF_TURN / POINTS));  // -i w^k
    z[j] = vec2(fma(w.x, odd.y, fma(-w.y, odd.x, even.y)), fma(w.y, odd.y, fma(w.x, odd.x, even.x)));
  }
}
