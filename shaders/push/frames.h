// Push constants of every kernel that starts from audio, for GLSL and C++: which frames of which
// samples. A piece of a long clip holds only the samples that its frames touch.
#ifndef METALMOM_PUSH_FRAMES
#define METALMOM_PUSH_FRAMES
struct FramesPush {
  uint n_clips;
  uint n_frames;      // of the piece, per clip
  uint first_frame;   // of the piece in its clip
  uint hop_length;
  uint n_samples;     // of a whole clip
  uint held_samples;  // of a clip, in the piece
  uint first_sample;  // of the piece in its clip
  uint pad;           // samples before the clip's first one
  uint pad_mode;      // dsp::PadMode
};
#endif
