// Cuts windowed frames out of audio, straight into the registers of fft.glsl: a whole frame inside
// the clip is loaded as pairs, one that reaches over an edge sample by sample.
layout(set = 0, binding = 0, std430) readonly buffer Audio { float audio[]; };
layout(set = 0, binding = 0, std430) readonly buffer AudioPairs { vec2 audio_pairs[]; };

#define PAD_EDGE 1
#define PAD_LINEAR_RAMP 2
#define PAD_REFLECT 3
#define PAD_SYMMETRIC 4

// The sample at a position that may lie beyond an edge, as numpy.pad fills it.
float padded_sample(FramesPush source, uint clip, int position) {
  const int n = int(source.n_samples);
  const uint start = clip * source.held_samples - source.first_sample;
  if (position >= 0 && position < n) return audio[start + position];
  float scale = 1.0;
  if (source.pad_mode == PAD_EDGE) {
    position = clamp(position, 0, n - 1);
  } else if (source.pad_mode == PAD_LINEAR_RAMP) {
    const int beyond = position < 0 ? -position : position - n + 1;
    scale = float(int(source.pad) - beyond) / float(source.pad);
    position = clamp(position, 0, n - 1);
  } else if (source.pad_mode == PAD_REFLECT || source.pad_mode == PAD_SYMMETRIC) {
    // Mirrored again and again where the padding is longer than the clip.
    const int repeat = source.pad_mode == PAD_SYMMETRIC ? 1 : 0;
    const int period = max(2 * (n - 1 + repeat), 1);
    // The remainder of a negative operand is undefined in Vulkan, and wrong on real devices.
    position = position < 0 ? period - 1 - (-1 - position) % period : position % period;
    position = position < n ? position : period - position - repeat;
  } else {
    return 0.0;
  }
  return scale * audio[start + position];
}

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
