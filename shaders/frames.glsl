// Loads a windowed frame of audio into the registers of fft.glsl.
//
// Register z[j] of a lane has the samples 2 (lane + j * LANES) and the next one as a complex
// number, so the lanes of a frame read one run of memory. A frame inside the clip is loaded as
// pairs, or sample by sample if it begins at an odd place. A frame that reaches over an edge is
// gathered by padded_sample. The window comes from the tables of fft.glsl, where it is stored in
// the same order.
#include "samples.glsl"
layout(set = 0, binding = 0, std430) readonly buffer AudioPairs { vec2 audio_pairs[]; };

// Frame `frame` of the piece, windowed, into z; zeros after the last frame.
void load_frame(FramesPush source, uint clip, uint frame) {
  const int first = int((source.first_frame + frame) * source.hop_length) - int(source.pad);
  const uint held = clip * source.held_samples - source.first_sample + uint(first);
  const uint base = frame_base + lane;
  if (frame >= source.n_frames) {
    [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j] = vec2(0.0);
  } else if (first < 0 || first + N_FFT > int(source.n_samples)) {
    // Through this thread's own places in shared memory, so that the loop need not be unrolled;
    // the barrier below keeps others from exchanging points there meanwhile.
    [[unroll]] for (uint part = 0; part < 2; ++part) {
      [[dont_unroll]] for (uint j = 0; j < POINTS; ++j)
        exchange[base + j * LANES] =
            padded_sample(source, clip, first + int(2 * (lane + j * LANES) + part));
      [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j][part] = exchange[base + j * LANES];
    }
  } else if ((held & 1) == 0) {
    [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j] = audio_pairs[held / 2 + lane + j * LANES];
  } else {
    [[unroll]] for (uint j = 0; j < POINTS; ++j) {
      const uint index = held + 2 * (lane + j * LANES);
      z[j] = vec2(audio[index], audio[index + 1]);
    }
  }
  barrier();
  [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j] *= tables[lane + j * LANES];
}
