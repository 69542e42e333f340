// Push constants of flux.comp, for GLSL and C++.
struct FluxPush {
  uint n_clips;
  uint n_bands;
  uint n_frames;       // of the levels
  uint n_out;          // frames of the result
  uint n_differences;  // frames that have a spectrum `lag` before them
  uint lag;
  uint max_size;  // bands of the maximum filter over the reference
  uint shift;     // frames of silence before the first difference
  uint rows_out;  // n_bands, or 1: the mean over the bands
  float top_db;   // levels count as at least this much below the clip's maximum
};
