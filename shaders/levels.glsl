// Arithmetic on levels that several kernels share: powers of magnitudes, decibels, norms of frames,
// and a code of floats as integers.
//
// Powers with whole exponents are products, since exp2 and log2 of devices lose digits. Decibels
// are one log2. A norm is built value by value (add_to_norm) and finished once. An atomic maximum
// of floats is not in core Vulkan, so floats are coded as unsigned integers that have the same
// order.
#include "constants.h"
#include "floats.glsl"

// |x|^2 of a complex number.
float square_of(vec2 x) { return fma(x.x, x.x, x.y * x.y); }

// |x|^p from |x|^2.
float power_of_square(float square, const uint kind, float exponent) {
  switch (kind) {
    case 1: return sqrt(square);
    case 2: return square;
    case 3: return square * sqrt(square);
    case 4: return square * square;
    default: return square > 0.0 ? exp2(exponent * log2(square)) : 0.0;
  }
}

float to_decibels(float power, float amin) {
  if (is_nan(power) || floatBitsToUint(power) == 0x7f800000u) return power;
  return 3.0102999566398120 * log2(max(power, amin));
}

// A level, or the floor where that is higher.
float raised(float level, float floor_) { return is_nan(level) ? level : max(level, floor_); }

// The power of two that brings a number between 1 and 2: scaled by it, numbers up to that one have
// squares and other powers that are neither infinite nor, if they count, zero.
float scale_of(float largest) {
  const uint exponent = clamp(floatBitsToUint(largest) & 0x7f800000u, 0x00800000u, 0x7e800000u);
  return uintBitsToFloat(0x7f000000u - exponent);
}

bool is_plain_square(float square) { return square > 1e-30 && square < 1e38; }

// |x|, also where |x|^2 is no normal float.
float magnitude_of(vec2 x) {
  const float square = square_of(x);
  if (is_plain_square(square)) return sqrt(square);
  const float scale = scale_of(max(abs(x.x), abs(x.y)));
  precise const vec2 scaled = scale * x;
  return sqrt(square_of(scaled)) / scale;
}

float add_to_norm(float total, float value, const uint kind, float norm) {
  const float size = abs(value);
  switch (kind) {
    case norm_maximum: return max(total, size);
    case norm_minimum: return min(total, size);
    case norm_count: return total + (size > 0.0 ? 1.0 : 0.0);
    case norm_sum: return total + size;
    case norm_euclid: return fma(size, size, total);
    case norm_power: return total + (size > 0.0 ? exp2(norm * log2(size)) : 0.0);
    default: return 1.0;
  }
}

// The divisor of a frame, from what add_to_norm has built of values times `scale`; 1 for silence,
// which stays as it is.
float finish_norm(float total, const uint kind, float norm, float scale) {
  if (kind == norm_euclid) total = sqrt(total);
  if (kind == norm_power) total = total > 0.0 ? exp2(log2(total) / norm) : 0.0;
  total /= scale;
  return total < smallest_normal ? 1.0 : total;
}

// Floats as unsigned integers of the same order, so that an integer maximum is theirs; 0 is below
// all of them.
uint ordered_bits(float value) {
  const uint bits = floatBitsToUint(value);
  return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

float from_ordered_bits(uint bits) {
  return uintBitsToFloat((bits & 0x80000000u) != 0 ? bits & 0x7fffffffu : ~bits);
}
