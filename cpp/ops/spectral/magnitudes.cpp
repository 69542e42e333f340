#include "ops/spectral/magnitudes.hpp"

#include <algorithm>

namespace metalmom::ops {

template <class T>
MagnitudePlan plan_magnitudes(const MagnitudeParams& params, const MagnitudeInputs<T>& in) {
  if (!in.S.data) return {plan_frames(params, in.y, static_cast<Index>(in.window.size())), false};
  FramePlan frames;
  frames.batch = in.S.batch;
  frames.n_frames = params.frames_major ? in.S.rows : in.S.cols;
  frames.n_bins = params.frames_major ? in.S.cols : in.S.rows;
  return {frames, true, params.frames_major};
}

template MagnitudePlan plan_magnitudes(const MagnitudeParams&, const MagnitudeInputs<float>&);
template MagnitudePlan plan_magnitudes(const MagnitudeParams&, const MagnitudeInputs<double>&);

template <class T>
void require_non_negative(const View<const T>& S) {
  bool negative = false;
  for (const T value : S.flat()) negative |= value < T(0);
  if (negative) throw ParameterError("S must be non-negative everywhere");
}

template void require_non_negative(const View<const float>&);
template void require_non_negative(const View<const double>&);

}  // namespace metalmom::ops
