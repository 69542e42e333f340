// Push constants of pcen.comp, for GLSL and C++.
struct PcenPush {
  uint n_rows;
  uint n_frames;
  uint first_row;  // of the piece
  uint one_state;  // whether `state` holds for all rows, instead of the table
  float state;     // of the filter before the first frame
  float b;         // coefficient of the smoothing filter
  float kept;      // 1 - b, and what its rounding to a float lost
  float kept_rest;
  float gain;
  float eps;
  float bias;
  float power;
  float root;  // bias^power
};
