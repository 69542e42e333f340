// Push constants of partitions.comp and overlap_save.comp, for GLSL and C++. Blocks are counted in
// the full result, of whole clips; those of the signal likewise, where block t reaches from the
// samples of block t - 1 to its own.
struct ConvolvePush {
  uint n_clips;
  uint n_bins;
  uint n_blocks;     // of results, per clip, that are made together
  uint first_block;
  uint n_held;       // spectra of the signal's blocks that there are, per clip
  uint first_held;
  uint n_signal;     // blocks of a whole signal
  uint n_parts;      // of a response
  uint own_parts;    // whether each clip has a response of its own
  uint n_results;    // of the piece, per clip
  uint first_result; // of the piece, in the full result
};
