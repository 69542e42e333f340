// Complex numbers in polar form, for vocoder.comp. Angles are whole numbers, 2^32 of them a turn:
// sums of thousands of angles are exact and wrap around by themselves. Functions are Taylor series
// after a reduction, because Vulkan guarantees few digits of its own functions.

struct Polar {
  uint turns;
  float size;
  uint broken;  // 1: not finite
};

const float two_pi = 6.2831853071795865;

// atan(t) / 2 pi in 2^32nds for |t| <= tan(pi / 8), where nine terms leave 3e-9.
int small_angle(float t) {
  const float s = t * t;
  float sum = 1.0 / 17.0;
  [[unroll]] for (int k = 7; k >= 0; --k) sum = fma(-s, sum, 1.0 / float(2 * k + 1));
  return int(roundEven(t * sum * (4294967296.0 / two_pi)));
}

// The angle of zero is what the signs of its parts say, as atan2 has it.
Polar polar_of(vec2 z) {
  const vec2 part = abs(z);
  const float larger = max(part.x, part.y), smaller = min(part.x, part.y);
  const float ratio = larger > 0.0 ? smaller / larger : 0.0;
  Polar result;
  result.size = larger * sqrt(fma(ratio, ratio, 1.0));
  result.broken = uint((floatBitsToUint(z.x) & 0x7f800000u) == 0x7f800000u ||
                       (floatBitsToUint(z.y) & 0x7f800000u) == 0x7f800000u);
  // In the second half of the octant the angle is measured from its middle, an eighth of a turn.
  uint turns;
  if (ratio > 0.41421356)
    turns = (1u << 29) + uint(small_angle((smaller - larger) / (smaller + larger)));
  else
    turns = uint(small_angle(ratio));
  if (part.y > part.x) turns = (1u << 30) - turns;
  if (floatBitsToInt(z.x) < 0) turns = (1u << 31) - turns;
  if (floatBitsToInt(z.y) < 0) turns = 0u - turns;
  result.turns = turns;
  return result;
}

// Cosine and sine of an angle, from the nearest quarter of a turn: terms left out are below 2e-9.
vec2 direction_of(uint turns) {
  const uint quarter = (turns + (1u << 29)) >> 30;
  const float x = float(int(turns - (quarter << 30))) * (two_pi / 4294967296.0), s = x * x;
  float cosine = 1.0, sine = 1.0;
  [[unroll]] for (int k = 5; k >= 1; --k) {
    cosine = fma(-s / float(2 * k * (2 * k - 1)), cosine, 1.0);
    sine = fma(-s / float(2 * k * (2 * k + 1)), sine, 1.0);
  }
  sine *= x;
  const vec2 near = (quarter & 1) == 0 ? vec2(cosine, sine) : vec2(-sine, cosine);
  return (quarter & 2) == 0 ? near : -near;
}
