#include "ops/spectral/magnitudes.hpp"

#include <algorithm>
#include <limits>

#include "base/error_parts.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "ops/core/pipeline.hpp"

namespace metalmom::ops {

template <class T>
MagnitudePlan plan_magnitudes(const FrameParams& params, const MagnitudeInputs<T>& in) {
  if (!in.S.data) return {plan_frames(params, in.y, static_cast<Index>(in.window.size())), false};
  FramePlan frames;
  frames.batch = in.S.batch;
  frames.n_frames = in.S.n_frames();
  frames.n_bins = in.S.n_bins();
  return {frames, true};
}

template MagnitudePlan plan_magnitudes(const FrameParams&, const MagnitudeInputs<float>&);
template MagnitudePlan plan_magnitudes(const FrameParams&, const MagnitudeInputs<double>&);

template <class T>
void require_magnitudes(const View<const T>& S, bool all_finite) {
  constexpr T largest = std::numeric_limits<T>::max();
  bool negative = false, finite = true;
  for (const T value : S.flat()) {
    negative |= value < T(0);
    finite &= value <= largest;
  }
  if (negative) throw ArgumentError({.name = "S", .rule = "non-negative everywhere"});
  if (all_finite && !finite) throw ArgumentError({.name = "S", .rule = "finite everywhere"});
}

template void require_magnitudes(const View<const float>&, bool);
template void require_magnitudes(const View<const double>&, bool);

template <class T>
void consume_magnitudes(const MagnitudePlan& plan, const MagnitudeInputs<T>& in,
                        Consumer<T>& consumer) {
  if (!plan.stored) return run_consumer(consumer);
  const Index n_bins = plan.frames.n_bins;
  const Blocks blocks = consumer.blocks();
  const Index bin_stride = in.S.bin_stride(), frame_stride = in.S.frame_stride();
  parallel_for(blocks.total(), block_grain, [&](Index first, Index last) {
    const Lent<T> lanes(n_bins * dsp::block_frames);
    for (Index i = first; i < last; ++i) {
      const auto block = blocks.at(i);
      {
        const Stage stage(stage::gather);
        dsp::load_lanes(in.S.row(block.b) + block.first * frame_stride, n_bins, bin_stride,
                        frame_stride, block.count, lanes.data());
      }
      consumer.consume(block, lanes, block.b, nullptr);
    }
  });
}

template void consume_magnitudes(const MagnitudePlan&, const MagnitudeInputs<float>&,
                                 Consumer<float>&);
template void consume_magnitudes(const MagnitudePlan&, const MagnitudeInputs<double>&,
                                 Consumer<double>&);

}  // namespace metalmom::ops
