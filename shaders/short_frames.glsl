// Loads a frame of audio that has fewer samples than the transform, and no window: zeros follow.
//
// Samples lie in the registers of fft.glsl as frames.glsl puts them. A frame that reaches over an edge
// of the clip is gathered by padded_sample.
#include "samples.glsl"

// Where frame `frame` of the piece begins in its clip.
int frame_begin(FramesPush source, uint frame) {
  return int((source.first_frame + frame) * source.hop_length) - int(source.pad);
}

// The samples of a frame of `length` samples into z; zeros after the last frame.
void load_short_frame(FramesPush source, uint clip, uint frame, uint length) {
  const int first = frame_begin(source, frame);
  const bool exists = frame < source.n_frames;
  if (exists && first >= 0 && first + int(length) <= int(source.n_samples)) {
    const uint held = clip * source.held_samples - source.first_sample + uint(first);
    [[unroll]] for (uint j = 0; j < POINTS; ++j) {
      const uint i = 2 * (lane + j * LANES);
      z[j] = vec2(i < length ? audio[held + i] : 0.0, i + 1 < length ? audio[held + i + 1] : 0.0);
    }
  } else {
    // Through this thread's own places in shared memory, so that the loop need not be unrolled.
    const uint base = frame_base + lane;
    [[unroll]] for (uint part = 0; part < 2; ++part) {
      [[dont_unroll]] for (uint j = 0; j < POINTS; ++j) {
        const uint i = 2 * (lane + j * LANES) + part;
        exchange[base + j * LANES] =
            exists && i < length ? padded_sample(source, clip, first + int(i)) : 0.0;
      }
      [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j][part] = exchange[base + j * LANES];
    }
  }
  barrier();
}
