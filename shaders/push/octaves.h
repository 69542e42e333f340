// Push constants of octaves.comp, for GLSL and C++.
struct OctavesPush {
  uint n_clips;
  uint n_frames;
  uint n_bins;
  uint first_job;  // of those in the table
  uint n_jobs;
  uint stride;  // from a clip's row of samples to the next one's
  uint pad_mode;
};
