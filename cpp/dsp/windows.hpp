// Window functions in double precision: the values that scipy.signal.get_window computes, by its
// formulas, so that an analysis with them equals librosa's to the last bits.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/view.hpp"

namespace metalmom::dsp {

enum class WindowShape {
  bartlett,
  barthann,
  blackman,
  blackmanharris,
  bohman,
  boxcar,
  cosine,
  flattop,
  gaussian,  // parameter: standard deviation in samples
  hamming,
  hann,
  kaiser,  // parameter: beta
  nuttall,
  parzen,
  triang,
};

// The shape of a name or one of SciPy's aliases ("hann", "han"); nothing for other names.
std::optional<WindowShape> window_shape(std::string_view name);

// Whether the shape needs its parameter.
bool has_parameter(WindowShape shape);

// Fills `window`. Periodic windows (for spectra) are symmetric ones of one more sample, without the
// last; symmetric ones are for filter design.
void fill_window(WindowShape shape, double parameter, bool periodic, std::span<double> window);

// Sum of squared windows at multiples of `hop_length` >= 0 for `n_frames` frames, added to `sums`
// (of any length; what lies beyond is dropped). Each addition rounds to T, as in librosa.
template <class T>
void add_windows(std::span<const double> squared, Index n_frames, Index hop_length,
                 std::span<T> sums);

}  // namespace metalmom::dsp
