// Frames of a signal, padded at both ends without a padded copy: only frames that reach over an
// edge are gathered sample by sample.
#pragma once

#include <array>
#include <string_view>

#include "base/fields.hpp"
#include "base/view.hpp"

namespace metalmom::dsp {

// What lies beyond the edges, as numpy.pad defines it. `empty` leaves NumPy's memory as it was;
// here it reads as zeros.
enum class PadMode { constant, edge, linear_ramp, reflect, symmetric, empty };

// Makes frames that lie nowhere in memory: frame_steps.hpp.
template <class T>
class FrameMaker {
 public:
  virtual ~FrameMaker() = default;
  virtual void make(Index frame, T* out) const = 0;
};

// Frame i covers the samples [i * hop_length - pad, i * hop_length - pad + n_fft) of the signal.
// `pad` samples exist before the first and after the last one: n_fft / 2 when frames are centred.
template <class T>
struct FrameSource {
  const T* y = nullptr;
  Index n_samples = 0;
  Index hop_length = 1;
  Index n_fft = 1;
  Index pad = 0;
  PadMode mode = PadMode::constant;
  const FrameMaker<T>* maker = nullptr;  // makes n_fft samples a frame; the signal is not read then
};

// Frames that fit into the padded signal; 0 when it is shorter than one frame.
Index count_frames(Index n_samples, Index hop_length, Index n_fft, Index pad);

// The samples of a frame where they lie in the signal, or null when it reaches over an edge or is
// made.
template <class T>
const T* frame_in_place(const FrameSource<T>& source, Index frame) {
  if (source.maker) return nullptr;
  const Index first = frame * source.hop_length - source.pad;
  return first >= 0 && first + source.n_fft <= source.n_samples ? source.y + first : nullptr;
}

// Copies one frame of n_fft samples to `out`. Needs at least one sample in the signal (none for
// `constant` and `empty`).
template <class T>
void gather_frame(const FrameSource<T>& source, Index frame, T* out);

}  // namespace metalmom::dsp

namespace metalmom {

template <>
struct EnumNames<dsp::PadMode> {
  static constexpr std::array<std::string_view, 6> value = {"constant", "edge",      "linear_ramp",
                                                            "reflect",  "symmetric", "empty"};
};

}  // namespace metalmom
