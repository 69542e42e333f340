// A recursive filter of the first order.
#pragma once

#include "base/view.hpp"

namespace metalmom::dsp {

// out[i] = x[i] + coef * out[i - 1] in double, rounded once; out[0] = x[0] + state.
template <class T>
void one_pole(const T* x, Index n, double coef, double state, T* out);

}  // namespace metalmom::dsp
