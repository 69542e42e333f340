// Numbers that frames of samples have without a transform: the root mean square, or how often the
// sign changes. A workgroup has one frame of one clip; its threads take every 32nd sample, so that
// they read side by side, and the first one adds up what they found, in their order. Out: (clips,
// frames). Frames overlap, and what several read comes from the cache.
#version 450
#extension GL_GOOGLE_include_directive : require
#define THREADS 32
#include "constants.h"
#include "push/samples.h"
layout(local_size_x = THREADS) in;

layout(constant_id = 0) const uint kind = samples_rms;
layout(set = 0, binding = 1, std430) writeonly buffer Results { float results[]; };
layout(push_constant) uniform Push { SamplesPush push; };

#include "row.glsl"
#include "samples.glsl"

shared float part[THREADS];

float square_sum(uint clip, int first) {
  const bool inside = first >= 0 && first + int(push.n_fft) <= int(push.frames.n_samples);
  const uint held =
      clip * push.frames.held_samples - push.frames.first_sample + uint(first);
  float sum = 0.0;
  for (uint i = gl_LocalInvocationIndex; i < push.n_fft; i += THREADS) {
    const float x =
        inside ? audio[held + i] : padded_sample(push.frames, clip, first + int(i));
    sum = fma(x, x, sum);
  }
  return sum;
}

int sign_at(uint clip, int position) {
  // Beyond its ends the signal keeps its end values, so nothing crosses there.
  position = clamp(position, 0, int(push.frames.n_samples) - 1);
  const uint start = clip * push.frames.held_samples - push.frames.first_sample;
  const float x = audio[start + uint(position)];
  if (kind == samples_crossings) return x < -push.threshold ? 1 : 0;
  return int(x > push.threshold) - int(x < -push.threshold);
}

float crossings(uint clip, int first) {
  uint count = 0;
  for (uint i = gl_LocalInvocationIndex + 1; i < push.n_fft; i += THREADS)
    count += uint(sign_at(clip, first + int(i)) != sign_at(clip, first + int(i) - 1));
  return float(count);
}

void main() {
  const uint clip = group_row();
  if (clip >= push.frames.n_clips) return;
  const uint frame = gl_WorkGroupID.x;
  const int first = int((push.frames.first_frame + frame) * push.frames.hop_length) -
                    int(push.frames.pad);
  part[gl_LocalInvocationIndex] = kind == samples_rms ? square_sum(clip, first) : crossings(clip, first);
  barrier();
  if (gl_LocalInvocationIndex > 0) return;
  float sum = kind == samples_rms ? 0.0 : push.first_crosses;
  for (uint i = 0; i < THREADS; ++i) sum += part[i];
  sum /= float(push.n_fft);
  results[clip * push.frames.n_frames + frame] = kind == samples_rms ? sqrt(sum) : sum;
}
