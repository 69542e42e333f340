#include "ops/rhythm/onset_strength.hpp"

#include <algorithm>

#include "base/buffer.hpp"
#include "base/ceil_div.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "dsp/decibel.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

FluxPlan plan_flux(const FluxParams& params, Index batch, Index n_bands, Index n_frames) {
  check(params);
  require(n_bands >= 1, "S.shape[-2]", n_bands, "at least 1");
  FluxPlan plan{params, batch, n_bands, n_frames, std::max<Index>(n_frames - params.lag, 0)};
  plan.n_out = params.trim ? n_frames : plan.n_differences + params.shift;
  return plan;
}

Cost flux_cost(const FluxPlan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  const auto bands = static_cast<double>(plan.n_bands);
  const bool median = plan.params.aggregate == dsp::FluxAggregate::median;
  const auto filter = static_cast<double>(plan.params.max_size - 1);
  return {plan.batch * plan.n_frames, frames * bands * (median ? 70 : 3 + filter),
          frames * 4 * (bands + static_cast<double>(plan.rows_out()))};
}

namespace {

// Blocks of flux_frames frames in the result of one signal.
Index flux_blocks(const FluxPlan& plan) {
  return ceil_div(plan.n_out, dsp::flux_frames);
}

// Writes the frames [first, first + flux_frames) of a signal's result, whose rows are n_out apart.
template <class T>
void write_flux(const FluxPlan& plan, const dsp::FluxSource<T>& source, Index first, T* out) {
  const Index last = std::min(first + dsp::flux_frames, plan.n_out);
  const Index begin = std::clamp(plan.params.shift, first, last);
  const Index end = std::clamp(plan.params.shift + plan.n_differences, begin, last);
  for (Index r = 0; r < plan.rows_out(); ++r) {
    std::fill(out + r * plan.n_out + first, out + r * plan.n_out + begin, T(0));
    std::fill(out + r * plan.n_out + end, out + r * plan.n_out + last, T(0));
  }
  if (begin < end)
    dsp::flux_block(source, begin - plan.params.shift, end - begin, plan.params.aggregate,
                    out + begin, plan.n_out);
}

}  // namespace

template <class T>
FluxPlan SpectralFlux::plan(const Params& params, const In<T>& in) {
  require(in.ref.batch == in.S.batch && in.ref.rows == in.S.rows && in.ref.cols == in.S.cols,
          "ref.size", in.ref.size(), "S.size, with the same shape");
  return plan_flux(params, in.S.batch, in.S.rows, in.S.cols);
}

template <class T>
void SpectralFlux::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Index per_signal = flux_blocks(plan);
  parallel_for(plan.batch * per_signal, 4, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      const Index b = i / per_signal;
      const dsp::FluxSource<T> source{in.S.row(b),   in.ref.row(b),   plan.n_bands,
                                      plan.n_frames, plan.params.lag, plan.params.max_size};
      write_flux(plan, source, i % per_signal * dsp::flux_frames, out.flux.row(b));
    }
  });
}

namespace {

// Flux reads the levels of a band along time, so levels are kept as rows of whole blocks. Lanes
// without a frame end up behind the last frame of their row.
template <class T>
class OnsetConsumer final : public Consumer<T> {
 public:
  OnsetConsumer(const OnsetStrength::Plan& plan, const BandInputs<T>& in,
                const OnsetStrength::Out<T>& out)
      : Consumer<T>("onset strength", plan.frames, in.y, in.window,
                    {Tap::Value::levels, false, static_cast<float>(plan.power), in.basis.get(),
                     plan.amin, plan.floor}),
        basis_(in.basis),
        plan_(plan.flux),
        top_db_(static_cast<T>(plan.top_db)),
        flux_(out.flux) {}

  Index storage_per_signal() const override { return plan_.n_bands * row_size(); }
  bool shares_storage(const Consumer<T>& other) const override {
    return dynamic_cast<const OnsetConsumer*>(&other) != nullptr;
  }

  void consume(const Block& block, const T* levels, Index signal, T* storage) override {
    T* const rows = storage + signal * storage_per_signal() + block.first;
    for (Index band = 0; band < plan_.n_bands; ++band)
      std::copy_n(levels + band * dsp::block_frames, dsp::block_frames, rows + band * row_size());
  }

  Index finish_tasks(Index n_signals) const override { return n_signals * flux_blocks(plan_); }

  void finish(const Finished<T>& finished, Index task) override {
    const Stage stage(stage::flux);
    const Index signal = task / flux_blocks(plan_);
    const T* rows = finished.storage + signal * storage_per_signal();
    const dsp::FluxSource<T> source{rows,
                                    rows,
                                    plan_.n_bands,
                                    row_size(),
                                    plan_.params.lag,
                                    plan_.params.max_size,
                                    finished.maximum(signal) - top_db_};
    write_flux(plan_, source, task % flux_blocks(plan_) * dsp::flux_frames,
               flux_.row(finished.b + signal));
  }

 private:
  Index row_size() const { return this->blocks().per_signal() * dsp::block_frames; }

  std::shared_ptr<const dsp::Basis> basis_;
  const FluxPlan& plan_;
  T top_db_;
  View<T> flux_;
};

}  // namespace

template <class T>
std::unique_ptr<Consumer<T>> OnsetStrength::consumer(const Plan& plan, const In<T>& in,
                                                     const Out<T>& out) {
  return std::make_unique<OnsetConsumer<T>>(plan, in, out);
}

template <class T>
void OnsetStrength::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  OnsetConsumer<T> consumer(plan, in, out);
  run_consumer(consumer);
}

Cost OnsetStrength::cost(const Plan& plan) {
  Cost cost = band_cost(plan);
  const Cost flux = flux_cost(plan.flux);
  const auto levels = static_cast<double>(cost.frames * plan.n_bands);
  cost.flops += flux.flops + 20 * levels;  // a logarithm costs about 20 operations
  cost.bytes += flux.bytes - 4 * levels;
  return cost;
}

template <class T>
void BlockDc::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.batch, 64, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b) dsp::block_dc(in.x.row(b), plan.n, out.y.row(b));
  });
}

Cost BlockDc::cost(const Plan& plan) {
  const auto values = static_cast<double>(plan.batch * plan.n);
  return {plan.batch * plan.n, 3 * values, 12 * values};
}

METALMOM_INSTANTIATE_OP(SpectralFlux);
METALMOM_INSTANTIATE_FRAME_OP(OnsetStrength);
METALMOM_INSTANTIATE_RUN(BlockDc);

}  // namespace metalmom::ops
