// Spectra back to windowed frames, the first half of the inverse STFT (overlap.comp is the second).
//
// In: spectra, (clips, frames, bins). Out: frames, (clips, frames, n_fft), times the window, which
// carries the transform's factor. One group a few frames, as for spectrum.comp. The inverse
// transform of the spectrum X of a real frame: Z[k] = X[k] + conj X[H-k] + i conj(w^k) (X[k] - conj
// X[H-k]) are the points of its pairs of samples; they go through the forward transform with real
// and imaginary parts swapped, before and after, so that fft.glsl is the only transform. Imaginary
// parts of the first and the last bin do not count: a real frame has none.
#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "push/istft.h"
#define THREADS (LANES < warp ? warp : LANES)
#include "group.glsl"
// For each N_FFT of transform_sizes.
layout(set = 0, binding = 0, std430) readonly buffer Spectrum { vec2 spectrum[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Frames { vec2 frames[]; };
layout(push_constant) uniform Push { IstftPush push; };

shared float exchange[FRAMES * HALF];
#include "fft.glsl"

void load_spectrum(uint row) {
  const vec2 split = tables[SPLIT_TABLE + lane];
  [[unroll]] for (uint j = 0; j < POINTS; ++j) {
    const uint k = lane + j * LANES;
    vec2 own = spectrum[row + k], mirror = spectrum[row + HALF - k];
    if (j == 0 && lane == 0) own.y = mirror.y = 0.0;  // a real frame's first and last bins are real
    const vec2 even = vec2(own.x + mirror.x, own.y - mirror.y);
    const vec2 odd = vec2(own.x - mirror.x, own.y + mirror.y);
    const vec2 w = turned(split, j * (32 / POINTS));  // -i w^k
    z[j] = vec2(fma(w.x, odd.y, fma(-w.y, odd.x, even.y)), fma(w.y, odd.y, fma(w.x, odd.x, even.x)));
  }
}

void main() {
  const uint clip = gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y;
  if (clip >= push.n_clips) return;
  place_thread();
  const uint frame = gl_WorkGroupID.x * FRAMES + frame_slot;
  const uint row = clip * push.n_frames + min(frame, push.n_frames - 1);
  load_spectrum(row * (HALF + 1));
  transform_points();
  if (frame >= push.n_frames) return;
  [[unroll]] for (uint j = 0; j < POINTS; ++j) {
    const uint m = lane + j * LANES;
    frames[row * HALF + m] = z[register_of(j)].yx * tables[m];
  }
}
