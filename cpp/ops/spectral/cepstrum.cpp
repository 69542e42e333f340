#include "ops/spectral/cepstrum.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <vector>

#include "base/cache.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/decibel.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

std::shared_ptr<const dsp::Basis> dct_basis(const DctParams& params, Index n_bands) {
  check(params);
  require(n_bands >= (params.dct_type == 1 ? 2 : 1), "n_mels", n_bands,
          params.dct_type == 1 ? "at least 2 for dct_type=1" : "at least 1");
  using Key = std::tuple<Index, Index, int, double, Index>;
  static Cache<Key, dsp::Basis> cache{"build DCT"};
  const Index rows = std::min(params.n_mfcc, n_bands);
  const Key key{rows, params.dct_type, static_cast<int>(params.norm), params.lifter, n_bands};
  return cache.get(key, [&] {
    const auto matrix =
        dsp::dct_matrix(static_cast<int>(params.dct_type), params.norm, n_bands, rows);
    for (Index n = 0; params.lifter > 0 && n < rows; ++n) {
      const double angle = std::numbers::pi * static_cast<double>(n + 1) / params.lifter;
      const double weight = 1 + params.lifter / 2 * std::sin(angle);
      for (Index band = 0; band < n_bands; ++band) matrix[n * n_bands + band] *= weight;
    }
    return std::make_shared<const dsp::Basis>(matrix.data(), rows, n_bands);
  });
}

namespace {

template <class T>
class CepstrumConsumer final : public Consumer<T> {
 public:
  CepstrumConsumer(const Cepstrum::Plan& plan, const Cepstrum::In<T>& in,
                   const Cepstrum::Out<T>& out)
      : Consumer<T>("cepstrum", plan.frames, in.y, in.window,
                    {Tap::Value::levels, false, static_cast<float>(plan.power), in.basis.get(),
                     plan.amin, plan.floor}),
        basis_(in.basis),
        dct_(plan.dct),
        top_db_(static_cast<T>(plan.top_db)),
        cepstra_(out.cepstra) {}

  bool keeps_levels() const override { return true; }
  bool takes_one_frame() const override { return true; }
  void consume(const Block&, const T*, Index, T*) override {}

  Index finish_tasks(Index n_signals) const override {
    return n_signals * this->blocks().per_signal();
  }
  void finish(const Finished<T>& finished, Index task) override {
    const Stage stage(stage::store);
    const Index signal = task / finished.blocks_per_signal;
    const auto block = this->blocks().at(finished.b * finished.blocks_per_signal + task);
    const Index values = finished.n_bands * finished.lanes;
    T* levels = finished.level_block(task);
    const T floor = finished.maximum(signal) - top_db_;
    const bool clamps = floor != -std::numeric_limits<T>::infinity();
    const Lent<T> own(clamps && !finished.exclusive ? values : 0);
    if (clamps) {
      T* const clamped = finished.exclusive ? levels : own.data();
      dsp::clamp_below<T>(levels, values, floor, clamped);
      levels = clamped;
    }
    T* const first = cepstra_.row(block.b) + block.first;
    if (finished.lanes == 1)
      dsp::apply_bands_to_one(*dct_, static_cast<const T*>(levels), first, cepstra_.cols);
    else
      dsp::apply_bands(*dct_, static_cast<const T*>(levels), block.count, first, cepstra_.cols);
  }

 private:
  std::shared_ptr<const dsp::Basis> basis_, dct_;
  T top_db_;
  View<T> cepstra_;
};

}  // namespace

template <class T>
std::unique_ptr<Consumer<T>> Cepstrum::consumer(const Plan& plan, const In<T>& in,
                                                const Out<T>& out) {
  return std::make_unique<CepstrumConsumer<T>>(plan, in, out);
}

template <class T>
void Cepstrum::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  CepstrumConsumer<T> consumer(plan, in, out);
  run_consumer(consumer);
}

Cost Cepstrum::cost(const Plan& plan) {
  Cost cost = band_cost(plan);
  const auto frames = static_cast<double>(cost.frames);
  const auto bands = static_cast<double>(plan.n_bands);
  const auto rows = static_cast<double>(plan.dct->n_bands());
  cost.flops += frames * bands * (20 + 2 * rows);  // a logarithm costs about 20 operations
  cost.bytes += frames * 4 * (rows - bands);
  return cost;
}

template <class T>
void Dct::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const Blocks blocks{plan.batch, plan.n_frames};
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    const Lent<T> lanes(plan.n_bands * dsp::block_frames);
    for (Index i = first; i < last; ++i) {
      const auto block = blocks.at(i);
      dsp::load_lanes(in.S.row(block.b) + block.first, plan.n_bands, plan.n_frames, Index(1),
                      block.count, lanes.data());
      dsp::apply_bands(*plan.dct, static_cast<const T*>(lanes.data()), block.count,
                       out.cepstra.row(block.b) + block.first, plan.n_frames);
    }
  });
}

Cost Dct::cost(const Plan& plan) {
  const auto frames = static_cast<double>(plan.batch * plan.n_frames);
  const auto bands = static_cast<double>(plan.n_bands);
  const auto rows = static_cast<double>(plan.dct->n_bands());
  return {plan.batch * plan.n_frames, frames * 2 * bands * rows, frames * 4 * (bands + rows)};
}

METALMOM_INSTANTIATE_FRAME_OP(Cepstrum);
METALMOM_INSTANTIATE_RUN(Dct);

}  // namespace metalmom::ops
