// Push constants of dct.comp, for GLSL and C++.
struct DctPush {
  uint n_clips;
  uint n_frames;
  uint n_bands;
  uint n_coefficients;
  float top_db;  // below the clip's maximum
};
