// The filters of a constant-Q transform over the frames of every octave (Schoerkhuber and Klapuri
// 2010): complex numbers, bins of a frame side by side.
//
// In: rows of samples, those of each octave at its own rate; a table of jobs, each some filters of
// an octave; the filters' samples, real and imaginary parts as rows of their own. Out: (clips,
// frames, bins). Filters are as short as their frames, so a dense product costs about what a
// transform would, and takes any length and hop. A group multiplies the filters of a job by 64
// frames (product.glsl).
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "constants.h"
#include "push/frames.h"
#include "push/octaves.h"
#define THREADS octave_threads
#define ROWS octave_rows
#define COLUMNS octave_frames
#define DEPTH octave_depth
layout(local_size_x = THREADS) in;

// Of each job: the first sample of its octave in a clip's row, the number of samples, the hop, the
// samples of a frame; then its first filter (in fours of rows), its first bin, its number of bins.
layout(set = 0, binding = 1, std430) readonly buffer Jobs { uvec4 jobs[]; };
// Of each job: four rows of a sample, the next four rows ...; then the same of the next sample.
layout(set = 0, binding = 2, std430) readonly buffer Filters { vec4 filters[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Spectrum { vec2 spectrum[]; };
layout(push_constant) uniform Push { OctavesPush push; };

#include "product.glsl"
#include "row.glsl"
#include "samples.glsl"

// Samples [at, at + DEPTH) of the group's frames.
void load_samples(FramesPush source, uint clip, uint first_frame, uint at) {
  for (uint i = gl_LocalInvocationIndex; i < DEPTH * COLUMNS; i += THREADS) {
    const uint frame = first_frame + column_of(i);
    const int position =
        int(frame * source.hop_length + at + sample_of(i)) - int(source.pad);
    put_sample(i, frame < push.n_frames ? padded_sample(source, clip, position) : 0.0);
  }
}

void main() {
  const uint thread = gl_LocalInvocationIndex;
  const uint row = group_row();
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
  clear_sums();
  for (uint at = 0; at < n_fft; at += DEPTH) {
    load_samples(source, clip, first_frame, at);
    for (uint i = thread; i < DEPTH * FOURS; i += THREADS) rows[i] = filters[part.x + at * FOURS + i];
    add_products(quad, four);
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
