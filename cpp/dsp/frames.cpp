#include "dsp/frames.hpp"

#include <algorithm>

#include "base/stage.hpp"

namespace metalmom::dsp {
namespace {

// Position of a sample of the infinite signal that mirrors [0, n) at its edges, again and again.
// With `period` 2n - 2 the edge sample stands once (reflect), with 2n twice (symmetric).
Index mirrored(Index position, Index n, Index period) {
  if (period == 0) return 0;
  Index phase = position % period;
  if (phase < 0) phase += period;
  return phase < n ? phase : period - phase - (period == 2 * n ? 1 : 0);
}

template <class T>
T beyond_edge(const FrameSource<T>& source, Index position) {
  const Index n = source.n_samples;
  switch (source.mode) {
    case PadMode::edge:
      return source.y[position < 0 ? 0 : n - 1];
    case PadMode::reflect:
      return source.y[mirrored(position, n, 2 * n - 2)];
    case PadMode::symmetric:
      return source.y[mirrored(position, n, 2 * n)];
    case PadMode::linear_ramp: {
      // numpy.linspace in the signal's dtype: a step rounded once, times the distance from the end.
      const T step = source.y[position < 0 ? 0 : n - 1] / static_cast<T>(source.pad);
      const Index from_end = position < 0 ? position + source.pad : n + source.pad - 1 - position;
      return static_cast<T>(from_end) * step;
    }
    case PadMode::constant:
    case PadMode::empty:
      break;
  }
  return T(0);
}

}  // namespace

Index count_frames(Index n_samples, Index hop_length, Index n_fft, Index pad) {
  const Index padded = n_samples + 2 * pad;
  return padded < n_fft ? 0 : 1 + (padded - n_fft) / hop_length;
}

template <class T>
void gather_frame(const FrameSource<T>& source, Index frame, T* out) {
  if (source.maker) return source.maker->make(frame, out);
  const Stage stage(stage::gather);
  const Index first = frame * source.hop_length - source.pad;
  const Index left = std::clamp<Index>(-first, 0, source.n_fft);
  const Index right = std::clamp<Index>(source.n_samples - first, left, source.n_fft);
  for (Index i = 0; i < left; ++i) out[i] = beyond_edge(source, first + i);
  if (right > left) std::copy_n(source.y + first + left, right - left, out + left);
  for (Index i = right; i < source.n_fft; ++i) out[i] = beyond_edge(source, first + i);
}

template void gather_frame(const FrameSource<float>&, Index, float*);
template void gather_frame(const FrameSource<double>&, Index, double*);

}  // namespace metalmom::dsp
