#include "ops/core/phase_vocoder.hpp"

#include <algorithm>

#include "base/ceil_div.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/phase_vocoder.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {
namespace {

// Bins that go through all times together: so few that their rows stay in the first-level cache.
constexpr Index chunk = 272;

}  // namespace

template <class T>
PhaseVocoder::Plan PhaseVocoder::plan(const Params&, const In<T>& in) {
  const Index n_frames = in.spectrum.rows, n_times = std::ssize(in.t_out);
  require(n_times >= 1, "t_out.size", n_times, "at least 1");
  require(n_frames >= (in.magnitudes.data ? 1 : 2), "D.shape[-1]", n_frames,
          "at least 2: there is no magnitude between the frames of fewer");
  for (const double time : in.t_out)
    require(time >= 0 && time < static_cast<double>(n_frames), "t_out", time,
            "in the range [0, D.shape[-1])");
  if (in.magnitudes.data)
    require(in.magnitudes.rows == n_times && in.magnitudes.cols == in.spectrum.cols &&
                in.magnitudes.batch == in.spectrum.batch,
            "magnitudes.size", in.magnitudes.size(), "a value for each bin of the result");
  return {in.spectrum.batch, n_frames, in.spectrum.cols, n_times, in.magnitudes.size() > 0};
}

template <class T>
void PhaseVocoder::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index chunks = ceil_div(plan.n_bins, chunk);
  parallel_for(plan.batch * chunks, 1, [&](Index begin, Index end) {
    const Lent<double> scratch(dsp::phase_vocoder_scratch(chunk));
    for (Index i = begin; i < end; ++i) {
      const Index first = i % chunks * chunk;
      dsp::phase_vocoder<T>(in.spectrum, i / chunks, in.t_out, in.magnitudes, first,
                            std::min(chunk, plan.n_bins - first), out.spectrum, scratch);
    }
  });
}

Cost PhaseVocoder::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n_bins);
  const auto frames = static_cast<double>(plan.n_frames), times = static_cast<double>(plan.n_times);
  return {plan.batch * plan.n_times, values * (10 * frames + 25 * times),
          8 * values * (frames + times)};
}

METALMOM_INSTANTIATE_OP(PhaseVocoder);

}  // namespace metalmom::ops
