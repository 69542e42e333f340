// Push constants of ranks.comp, for GLSL and C++.
struct RanksPush {
  uint capacity;    // peaks that there is room for
  uint shift;       // of the digit that is looked at
  uint digit_bits;
};
