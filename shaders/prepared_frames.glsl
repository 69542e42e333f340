// Loads a frame of audio as speech recognition prepares it (dsp/frame_steps.hpp): its mean is taken away, each
// sample loses a part of its predecessor (the first one, of itself), zeros follow up to the length of the
// transform, and the window weighs. All in float32.
//
// The mean is the sum of the lanes' sums. The predecessor of a pair of samples is another lane's: second samples
// go through shared memory, at the addresses of fft.glsl, which are free of conflicts.
#include "short_frames.glsl"

void take_mean(uint length) {
  float sum = 0.0;
  [[unroll]] for (uint j = 0; j < POINTS; ++j) sum += z[j].x + z[j].y;
  exchange[frame_base + lane] = sum;
  barrier();
  sum = 0.0;
  for (uint i = 0; i < LANES; ++i) sum += exchange[frame_base + i];
  barrier();
  const float mean = sum / float(length);
  [[unroll]] for (uint j = 0; j < POINTS; ++j) {
    const uint i = 2 * (lane + j * LANES);
    z[j] -= vec2(i < length ? mean : 0.0, i + 1 < length ? mean : 0.0);
  }
}

void take_predecessors(uint length, float part) {
  [[unroll]] for (uint j = 0; j < POINTS; ++j) exchange[address(lane, j * LANES)] = z[j].y;
  barrier();
  [[unroll]] for (uint j = 0; j < POINTS; ++j) {
    const uint pair = lane + j * LANES;
    const float before = pair > 0 ? exchange[address(pair - 1, 0)] : z[0].x;
    z[j] = vec2(fma(-part, before, z[j].x), 2 * pair + 1 < length ? fma(-part, z[j].x, z[j].y) : 0.0);
    if (2 * pair >= length) z[j].x = 0.0;
  }
  barrier();
}

// Frame `frame` of the piece into z; zeros after the last frame.
void load_prepared_frame(FramesPush source, uint clip, uint frame, uint length,
                         const bool remove_mean, float preemphasis) {
  load_short_frame(source, clip, frame, length);
  if (remove_mean) take_mean(length);
  if (preemphasis > 0.0) take_predecessors(length, preemphasis);
  [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j] *= tables[lane + j * LANES];
}
