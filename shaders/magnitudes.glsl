// The magnitudes of a thread's bins. Includes after fft.glsl and levels.glsl.

// Of z[j] in place of its real part. Squares that are normal floats are the rule: one look at all of them
// costs a tenth of a look at each.
void take_magnitudes() {
  float least = infinity(), most = 0.0;
  [[unroll]] for (uint j = 0; j < POINTS; ++j) {
    const float square = square_of(z[j]);
    least = min(least, square);
    most = max(most, square);
  }
  if (is_plain_square(least) && is_plain_square(most))
    [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j].x = sqrt(square_of(z[j]));
  else
    [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j].x = magnitude_of(z[j]);
}
