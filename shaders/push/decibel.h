// Push constants of decibel.comp and limit.comp, for GLSL and C++.
struct DecibelPush {
  uint n_groups;
  uint n_values;     // of a group
  uint first_group;  // of the piece
  uint one_offset;   // whether `offset` holds for all groups, instead of the table
  float offset;      // of the level
  float amin;
  float top_db;
};
