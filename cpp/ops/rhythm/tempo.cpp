#include "ops/rhythm/tempo.hpp"

#include <algorithm>

#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

namespace {

void require_prior(std::span<const double> log_prior, Index n_lags) {
  if (log_prior.empty()) return;
  require(std::ssize(log_prior) == n_lags, "prior.logpdf.size", std::ssize(log_prior),
          "the number of lags, " + std::to_string(n_lags));
}

// The tempo of every column of `tg` (batch, lags, frames).
template <class T>
void choose_tempi(const TempoParams& params, std::span<const double> log_prior,
                  const View<const T>& tg, const View<double>& bpm) {
  const Lent<double> memory(2 * tg.rows);
  const auto n_lags = static_cast<std::size_t>(tg.rows);
  const std::span tempi(memory.data(), n_lags), weights(memory.data() + n_lags, n_lags);
  for (std::size_t lag = 0; lag < n_lags; ++lag)
    tempi[lag] = dsp::tempo_of_lag(static_cast<Index>(lag), params.sr, params.hop_length);
  if (log_prior.empty())
    dsp::log_tempo_prior(params, tempi, weights);
  else
    std::ranges::copy(log_prior, weights.begin());
  dsp::exclude_from(params.max_tempo, tempi, weights);
  parallel_for(tg.batch * tg.cols, 64, [&](Index first, Index last) {
    for (Index at = first; at < last; ++at) {
      const T* const column = tg.row(at / tg.cols) + at % tg.cols;
      const Index lag = dsp::best_lag(column, tg.cols, std::span<const double>(weights));
      bpm.data[at] = tempi[static_cast<std::size_t>(lag)];
    }
  });
}

}  // namespace

template <class T>
Tempo::Plan Tempo::plan(const Params& params, const In<T>& in) {
  check(params);
  require(in.tg.rows >= 1, "tg.shape[-2]", in.tg.rows, "at least 1");
  require_prior(in.log_prior, in.tg.rows);
  return {params, in.tg.batch, in.tg.rows, in.tg.cols};
}

template <class T>
void Tempo::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  choose_tempi(plan.params, in.log_prior, in.tg, out.bpm);
}

Cost Tempo::cost(const Plan& plan) {
  const auto cells = static_cast<double>(plan.batch * plan.n_frames * plan.n_lags);
  return {plan.batch * plan.n_frames, 20 * cells, 8 * cells};
}

template <class T>
GlobalTempo::Plan GlobalTempo::plan(const Params& params, const In<T>& in) {
  check(params);
  require_prior(in.log_prior, std::ssize(in.window));
  return {plan_tempogram<T>({.center = params.center}, in), params};
}

template <class T>
void GlobalTempo::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Lent<double> memory(plan.batch * plan.win_length);
  tempogram_mean<T>(plan, in, {memory.data(), plan.batch, 1, plan.win_length});
  choose_tempi<double>(plan.tempo, in.log_prior, {memory.data(), plan.batch, plan.win_length, 1},
                       out.bpm);
}

METALMOM_INSTANTIATE_OP(Tempo);
METALMOM_INSTANTIATE_OP(GlobalTempo);

}  // namespace metalmom::ops
