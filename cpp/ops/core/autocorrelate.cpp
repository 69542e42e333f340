#include "ops/core/autocorrelate.hpp"

#include <algorithm>

#include "base/workers.hpp"
#include "dsp/autocorrelation.hpp"
#include "ops/core/stft.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Autocorrelate::Plan Autocorrelate::plan(const Params& params, const In<T>& in) {
  check(params);
  return {in.y.batch, in.y.cols, std::min(params.max_size, in.y.cols)};
}

template <class T>
void Autocorrelate::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index grain = std::max<Index>(1, 32768 / std::max<Index>(plan.n, 1));
  parallel_for(plan.batch, grain, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b)
      dsp::autocorrelate<T>({in.y.row(b), static_cast<std::size_t>(plan.n)},
                            {out.lags.row(b), static_cast<std::size_t>(plan.n_lags)});
  });
}

Cost Autocorrelate::cost(const Plan& plan) {
  const auto batch = static_cast<double>(plan.batch);
  return {plan.batch, batch * 2 * fft_flops(2 * plan.n),
          batch * 4 * static_cast<double>(plan.n + plan.n_lags)};
}

METALMOM_INSTANTIATE_OP(Autocorrelate);

}  // namespace metalmom::ops
