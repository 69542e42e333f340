#include "dsp/frame_steps.hpp"

#include <algorithm>

#include "base/workspace.hpp"
#include "dsp/frame_work.hpp"
#include "dsp/simd/lane_kernels.hpp"

namespace metalmom::dsp {

template <class S>
void PreparedFrames<S>::make(Index frame, double* out) const {
  const Index length = audio_.n_fft;
  const Lent<S> gathered(length);
  simd::value_kernels<S>().prepare_frame(frame_samples(audio_, frame, gathered.data()), length,
                                         steps_.remove_mean, steps_.preemphasis, out);
  std::fill(out + length, out + n_fft_, 0.0);
}

template class PreparedFrames<float>;
template class PreparedFrames<double>;

}  // namespace metalmom::dsp
