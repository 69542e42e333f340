// Push constants of inverse.comp and overlap.comp, for GLSL and C++. Samples are counted in the
// padded signal, where frame f begins at f * hop_length.
struct IstftPush {
  uint n_clips;
  uint n_frames;      // of the piece, per clip
  uint first_frame;   // of the piece in its clip
  uint added_frames;  // of the piece's, those that are added up
  uint sum_frames;    // of a whole clip, whose windows are summed
  uint hop_length;
  uint n_fft;
  uint n_samples;     // of the piece, per clip
  uint first_sample;  // of the piece
};
