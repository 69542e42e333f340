// Push constants of decimate.comp, for GLSL and C++. Places are in samples of a clip's row.
struct DecimatePush {
  uint n_clips;
  uint from_first;
  uint from_stride;  // from a clip's row to the next one's
  uint from_length;
  uint to_first;
  uint to_stride;
  uint to_length;
};
