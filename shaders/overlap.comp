// The last step of the inverse STFT (Griffin and Lim 1984): adds overlapping windowed frames up and
// divides by what the squared windows add up to.
//
// In: frames, (clips, frames, n_fft). Out: the signal, (clips, samples). A thread has one sample
// and reads it from every frame that covers it, in rising order. Adding frame by frame into the
// signal would need atomic operations, whose order, and with it the rounding, changes from run to
// run; this way the result is the same however the batch is cut into pieces. Where the windows add
// up to nothing the sum is left as it is.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "constants.h"
#include "floats.glsl"
#include "push/istft.h"
#include "row.glsl"
#define THREADS overlap_threads
layout(local_size_x = THREADS) in;
layout(set = 0, binding = 0, std430) readonly buffer Frames { float frames[]; };
layout(set = 0, binding = 1, std430) readonly buffer Squares { float squares[]; };  // of the window
layout(set = 0, binding = 2, std430) writeonly buffer Signal { float signal[]; };
layout(push_constant) uniform Push { IstftPush push; };

void main() {
  const uint clip = group_row();
  const uint i = gl_WorkGroupID.x * THREADS + gl_LocalInvocationIndex;
  if (clip >= push.n_clips || i >= push.n_samples) return;
  const uint at = push.first_sample + i;
  const uint begin = at < push.n_fft ? 0 : (at - push.n_fft) / push.hop_length + 1;
  const uint end = at / push.hop_length + 1;
  float sum = 0.0, weight = 0.0;
  for (uint frame = begin; frame < end; ++frame) {
    const uint offset = at - frame * push.hop_length;
    const uint held = frame - push.first_frame;
    if (held < push.added_frames) sum += frames[(clip * push.n_frames + held) * push.n_fft + offset];
    if (frame < push.sum_frames) weight += squares[offset];
  }
  signal[clip * push.n_samples + i] = weight > smallest_normal ? sum / weight : sum;
}
