// Push constants of ranks.comp, for GLSL and C++.
struct RanksPush {
  uint capacity;      // peaks that there is room for
  uint known, shift;  // the bits [shift, known) are the digit that is looked at
};
