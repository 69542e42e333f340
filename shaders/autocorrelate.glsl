// Autocorrelation of a frame in registers: transform, power, transform back (Wiener 1930, Khinchin
// 1934). Behind the frame are so many zeros that no lag of interest wraps around.
#include "mirror.glsl"

// Makes lags of samples: z[j] = the samples 2 m and 2 m + 1, m = lane + LANES * j, becomes the lags
// of these numbers, times N_FFT, in even_lag(j) and odd_lag(j).
//
// Z, the transform of the pairs, gives the powers P of the real frame's bins, and these the
// transform of the pairs of lags: with H = N_FFT / 2 and t = 2 pi k / N_FFT
//   P[k] + P[H-k] = |Z[k]|^2 + |Z[H-k]|^2,
//   P[k] - P[H-k] = 2 cos t Im(Z[k] Z[H-k]) - sin t (|Z[k]|^2 - |Z[H-k]|^2),
//   L[k] = P[k] + P[H-k] + i e^(it) (P[k] - P[H-k]),
// and L[H-k] is the conjugate of the same with a minus before the difference. As in split_real the
// lane of the smaller k makes both, of points that cross `exchange`, and gives L[H-k] back the same
// way. Real and imaginary parts are swapped, before and after, so that the forward transform leads
// back.
void correlate_points() {
  transform_points();
  const uint upper = POINTS / 2;
  const vec2 middle = z[register_of(upper)];  // of lane 0, k = H / 2, which mirrors itself
  put_upper_points();
  const vec2 split = tables[SPLIT_TABLE + lane];
  vec2 lags[POINTS / 2];
  [[unroll]] for (uint j = 0; j < upper; ++j) {
    const uint k = lane + j * LANES;
    const uint here = frame_base + (k ^ bank_shift);
    const uint opposite =
        frame_base + ((j == 0 ? (HALF - k) % HALF : HALF - k) ^ bank_shift);
    const vec2 own = z[register_of(j)];
    vec2 mirror = vec2(exchange[here], exchange[opposite]);
    if (j == 0 && lane == 0) mirror = own;
    const vec2 w = turned(split, j * (HALF_TURN / POINTS));  // (-sin t, -cos t)
    const float own_power = fma(own.x, own.x, own.y * own.y);
    const float mirror_power = fma(mirror.x, mirror.x, mirror.y * mirror.y);
    const float product = fma(own.x, mirror.y, own.y * mirror.x);
    const float sum = own_power + mirror_power;
    const float difference = fma(-2.0 * w.y, product, w.x * (own_power - mirror_power));
    const float imaginary = -w.y * difference;
    lags[j] = vec2(imaginary, fma(w.x, difference, sum));
    if (j > 0 || lane > 0) {
      exchange[here] = imaginary;
      exchange[opposite] = fma(-w.x, difference, sum);
    }
  }
  barrier();
  [[unroll]] for (uint j = 0; j < upper; ++j) z[j] = lags[j];
  [[unroll]] for (uint j = upper; j < POINTS; ++j) {
    const uint k = lane + j * LANES;
    z[j] = vec2(exchange[frame_base + ((HALF - k) ^ bank_shift)],
                exchange[frame_base + (k ^ bank_shift)]);
    if (j == upper && lane == 0) z[j] = vec2(0.0, 2.0 * dot(middle, middle));
  }
  barrier();
  transform_points();
}

float even_lag(uint j) { return z[register_of(j)].y; }
float odd_lag(uint j) { return z[register_of(j)].x; }
