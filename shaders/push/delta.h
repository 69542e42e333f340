// Push constants of delta.comp, for GLSL and C++.
struct DeltaPush {
  uint n_values;   // of the piece, all in all
  uint n_frames;
  uint n_columns;  // values of a frame, in the piece
  uint width;      // of a window, in frames
  float weight;    // the sum of a window's weights
  float constant;  // beyond the ends, for ends_constant
};
