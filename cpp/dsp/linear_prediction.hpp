// Linear prediction by Burg's method (Burg 1975; Marple 1991, "Digital spectral analysis").
#pragma once

#include <span>

#include "base/view.hpp"

namespace metalmom::dsp {

// out[0 .. order]: 1, and coefficients of the filter that predicts y[n] as
// -out[1] y[n - 1] - ... - out[order] y[n - order] with the least error forwards and backwards.
// Errors are kept in T, their energies and products summed in double. order < y.size().
template <class T>
void linear_prediction(std::span<const T> y, Index order, T* out);

}  // namespace metalmom::dsp
