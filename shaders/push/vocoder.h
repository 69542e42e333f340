// Push constants of vocoder.comp, for GLSL and C++.
struct VocoderPush {
  uint n_clips;
  uint n_bins;    // of the piece
  uint n_frames;  // of the spectra
  uint n_times;   // of the result
  uint first;     // the frame whose phases come first
};
