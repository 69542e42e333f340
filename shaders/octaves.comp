// The filters of a constant-Q transform over the frames of every octave (Schoerkhuber and Klapuri
// 2010): complex numbers, bins of a frame side by side.
//
// In: rows of samples, those of each octave at its own rate; a table of jobs, each some filters of
// an octave; the filters' samples, real and imaginary parts as rows of their own. Out: (clips,
// frames, bins). Filters are as short as their frames, so a dense product costs about what a
// transform would, and takes any length and hop. A group multiplies the filters of a job by 64
// frames: 16 samples of each at a time pass through shared memory, and a thread holds the sums of
// four rows and four frames. The samples of a frame are summed in order, whatever the device.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/frames.h"
#include "push/octaves.h"
#define THREADS octave_threads
#define QUADS (octave_frames / 4)
#define DEPTH octave_depth
#define STRIDE (QUADS + 1)  // vectors: samples next to each other lie four banks apart
layout(local_size_x = THREADS) in;

// Of each job: the first sample of its octave in a clip's row, the number of samples, the hop, the
// samples of a frame; then its first filter (in fours of rows), its first bin, its number of bins.
layout(set = 0, binding = 1, std430) readonly buffer Jobs { uvec4 jobs[]; };
// Of each job: four rows of a sample, the next four rows ...; then the same of the next sample.
layout(set = 0, binding = 2, std430) readonly buffer Filters { vec4 filters[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Spectrum { vec2 spectrum[]; };
layout(push_constant) uniform Push { OctavesPush push; };

#include "samples.glsl"

shared vec4 samples[DEPTH * STRIDE];
shared vec4 rows[DEPTH * octave_rows / 4];

// Samples [at, at + DEPTH) of the group's frames: eight of one frame beside each other in memory,
// four frames in different banks.
void load_samples(FramesPush source, uint clip, uint first_frame, uint at) {
  for (uint i = gl_LocalInvocationIndex; i < DEPTH * octave_frames; i += THREADS) {
    const uint k = i % 8 + i / (8 * octave_frames) * 8, frame = i / 8 % octave_frames;
    const int position =
        int((first_frame + frame) * source.hop_length + at + k) - int(source.pad);
    const bool inside = first_frame + frame < push.n_frames;
    samples[k * STRIDE + frame / 4][frame % 4] =
        inside ? padded_sample(source, clip, position) : 0.0;
  }
}

void main() {
  const uint thread = gl_LocalInvocationIndex;
  const uint row = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
  const uint clip = row / push.n_jobs, job = push.first_job + row % push.n_jobs;
  if (clip >= push.n_clips) return;
  const uvec4 octave = jobs[2 * job], part = jobs[2 * job + 1];
  const uint n_fft = octave.w;
  FramesPush source;
  source.hop_length = octave.z;
  source.n_samples = octave.y;
  source.held_samples = push.stride;
  source.first_sample = 0u - octave.x;
  source.pad = n_fft / 2;
  source.pad_mode = push.pad_mode;

  const uint first_frame = gl_WorkGroupID.x * octave_frames;
  const uint quad = thread % QUADS, four = thread / QUADS;
  vec4 sum[4];
  [[unroll]] for (uint r = 0; r < 4; ++r) sum[r] = vec4(0.0);
  for (uint at = 0; at < n_fft; at += DEPTH) {
    load_samples(source, clip, first_frame, at);
    for (uint i = thread; i < DEPTH * octave_rows / 4; i += THREADS)
      rows[i] = filters[part.x + at * (octave_rows / 4) + i];
    barrier();
    [[unroll]] for (uint k = 0; k < DEPTH; ++k) {
      const vec4 x = samples[k * STRIDE + quad], w = rows[k * (octave_rows / 4) + four];
      [[unroll]] for (uint r = 0; r < 4; ++r) sum[r] = fma(vec4(w[r]), x, sum[r]);
    }
    barrier();
  }
  [[unroll]] for (uint f = 0; f < 4; ++f) {
    const uint frame = first_frame + 4 * quad + f;
    if (frame >= push.n_frames) continue;
    const uint place = (clip * push.n_frames + frame) * push.n_bins + part.y;
    [[unroll]] for (uint b = 0; b < 2; ++b)
      if (2 * four + b < part.z)
        spectrum[place + 2 * four + b] = vec2(sum[2 * b][f], sum[2 * b + 1][f]);
  }
}
