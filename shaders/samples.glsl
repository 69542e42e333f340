// Samples of audio with its padding, which is never stored: a position beyond an edge is mapped to
// the sample that numpy.pad would put there. A piece of a long clip holds only some samples of the
// clip; held_samples and first_sample say which. The includer has declared FramesPush.
#ifndef METALMOM_SAMPLES
#define METALMOM_SAMPLES
layout(set = 0, binding = 0, std430) readonly buffer Audio { float audio[]; };

#include "constants.h"
#include "wrap.glsl"

// The sample at a position that may lie beyond an edge, as numpy.pad fills it.
float padded_sample(FramesPush source, uint clip, int position) {
  const int n = int(source.n_samples);
  const uint start = clip * source.held_samples - source.first_sample;
  if (position >= 0 && position < n) return audio[start + position];
  float scale = 1.0;
  if (source.pad_mode == pad_edge) {
    position = clamp(position, 0, n - 1);
  } else if (source.pad_mode == pad_linear_ramp) {
    const int beyond = position < 0 ? -position : position - n + 1;
    scale = float(int(source.pad) - beyond) / float(source.pad);
    position = clamp(position, 0, n - 1);
  } else if (source.pad_mode == pad_reflect || source.pad_mode == pad_symmetric) {
    // Mirrored repeatedly if the padding is longer than the clip.
    const int repeat = source.pad_mode == pad_symmetric ? 1 : 0;
    const int period = max(2 * (n - 1 + repeat), 1);
    position = wrapped(position, period);
    position = position < n ? position : period - position - repeat;
  } else {
    return 0.0;
  }
  return scale * audio[start + position];
}

#endif
