// Floats that GLSL has no words for.
#ifndef METALMOM_FLOATS
#define METALMOM_FLOATS

const float smallest_normal = 1.17549435e-38;  // what is below it a device may flush to zero
const float lowest_float = -3.4028234663852886e38;

float infinity() { return uintBitsToFloat(0x7f800000u); }
float not_a_number() { return uintBitsToFloat(0x7fc00000u); }
bool is_nan(float value) { return (floatBitsToUint(value) & 0x7fffffffu) > 0x7f800000u; }
bool is_finite(float value) { return (floatBitsToUint(value) & 0x7f800000u) != 0x7f800000u; }

#endif
