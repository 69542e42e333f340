// Derivatives of rows of frames: of the polynomial that fits a window around each frame best
// (Savitzky and Golay 1964).
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/view.hpp"

namespace metalmom::dsp {

// What stands in for frames beyond the ends. `interp`: nothing, the polynomial of the first or last
// whole window counts up to the end; else the last frame, the frames mirrored at it, a constant, or
// the frames of the other end.
enum class Ends { interp, nearest, mirror, constant, wrap };

// The fit as two matrices, since their product is as large as the square of the window. `fit`,
// (n_coefficients, width): a window's frames to the coefficients of its polynomial. `at_times`,
// (width, n_coefficients): these to the derivative at each frame of the window.
struct PolynomialFit {
  Index width = 1, n_coefficients = 1;
  std::span<const double> fit, at_times;

  // What each frame of a window contributes to the derivative at one of them.
  std::vector<double> weights_at(Index frame) const;
};

// The frame whose value stands at `place`, which may lie beyond the ends of n frames; -1: a
// constant.
Index frame_at(Index place, Index n, Ends ends);

// The derivative at each of `n` frames. They begin half a window behind `row`, and half a window of
// room is behind them, too: what stands beyond the ends is written there. `central`: the weights at
// the middle of a window.
template <class T>
void derive_row(const PolynomialFit& fit, std::span<const double> central, Ends ends, T constant,
                T* row, Index n, T* out);

}  // namespace metalmom::dsp

namespace metalmom {

template <>
struct EnumNames<dsp::Ends> {
  static constexpr std::array<std::string_view, 5> value = {"interp", "nearest", "mirror",
                                                            "constant", "wrap"};
};

}  // namespace metalmom
