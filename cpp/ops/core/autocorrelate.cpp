#include "ops/core/autocorrelate.hpp"

#include <algorithm>

#include "base/workers.hpp"
#include "dsp/autocorrelation.hpp"
#include "ops/core/stft.hpp"

namespace metalmom::ops {

template <class T>
Autocorrelate::Plan Autocorrelate::plan(const Params& params, const In<T>& in) {
  check(params);
  return {in.y.batch, in.y.cols, std::min(params.max_size, in.y.cols)};
}

template Autocorrelate::Plan Autocorrelate::plan(const Params&, const In<float>&);
template Autocorrelate::Plan Autocorrelate::plan(const Params&, const In<double>&);

template <class T>
void Autocorrelate::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index grain = std::max<Index>(1, 32768 / std::max<Index>(plan.n, 1));
  parallel_for(plan.batch, grain, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b)
      dsp::autocorrelate<T>({in.y.row(b), static_cast<std::size_t>(plan.n)},
                            {out.lags.row(b), static_cast<std::size_t>(plan.n_lags)});
  });
}

template void Autocorrelate::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void Autocorrelate::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost Autocorrelate::cost(const Plan& plan) {
  const auto batch = static_cast<double>(plan.batch);
  return {plan.batch, batch * 2 * fft_flops(2 * plan.n),
          batch * 4 * static_cast<double>(plan.n + plan.n_lags)};
}

static_assert(Operation<Autocorrelate>);

}  // namespace metalmom::ops
