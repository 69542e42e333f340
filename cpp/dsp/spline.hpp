// Cubic splines through samples at 0, 1, 2 ... (C. de Boor, "A practical guide to splines", 1978).
#pragma once

#include <span>

#include "base/view.hpp"

namespace metalmom::dsp {

// Values at positions in [0, n - 1] of the spline whose third derivative does not jump at the
// second and the last but one of its n >= 4 samples ("not a knot").
void spline_values(std::span<const double> y, std::span<const double> positions, double* out);

}  // namespace metalmom::dsp
