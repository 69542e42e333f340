#include "ops/spectral/zero_crossings.hpp"

#include <algorithm>

#include "ops/core/pipeline.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

namespace {

// The number of samples in (from, to] whose sign differs from that of the sample before.
template <class T, class Sign>
Index count_changes(const T* y, Index from, Index to, Sign&& sign) {
  int changes = 0;
  for (Index i = from + 1; i <= to; ++i) changes += sign(y[i]) != sign(y[i - 1]);
  return changes;
}

template <class T>
class CrossingConsumer final : public Consumer<T> {
 public:
  CrossingConsumer(const ZeroCrossingRate::Plan& plan, const ZeroCrossingRate::In<T>& in,
                   const ZeroCrossingRate::Out<T>& out)
      : Consumer<T>("zero crossings", plan, in.y, {}, {.value = Tap::Value::samples}),
        threshold_(static_cast<T>(plan.threshold)),
        zero_pos_(plan.zero_pos),
        first_crosses_(plan.first_crosses),
        rate_(out.rate) {}

  // Frames overlap. All their first and last samples are sorted; the signal between two of them is
  // read once, and a frame's count is a sum over such pieces.
  void consume(const Block& block, const T*, Index, T*) override {
    const FramePlan& plan = this->frames();
    const auto source = plan.source(this->y(), block.b);
    const T* const y = source.y;
    const Index n_fft = plan.params.n_fft, hop = plan.params.hop_length;
    // Beyond its ends the signal keeps its end values, so nothing crosses there.
    const auto inside = [&](Index i) {
      return std::clamp<Index>(i, 0, std::max<Index>(source.n_samples - 1, 0));
    };
    Index edges[2 * dsp::block_frames], crossed[2 * dsp::block_frames] = {};
    const auto n_edges = static_cast<std::size_t>(2 * block.count);
    for (Index i = 0; i < block.count; ++i) {
      const Index begin = (block.first + i) * hop - plan.pad();
      edges[2 * i] = inside(begin);
      edges[2 * i + 1] = inside(begin + n_fft - 1);
    }
    const std::span all(edges, n_edges);
    Index sorted[2 * dsp::block_frames];
    std::ranges::copy(all, sorted);
    std::sort(sorted, sorted + n_edges);
    for (std::size_t k = 1; k < n_edges; ++k)
      crossed[k] = crossed[k - 1] + changes(y, sorted[k - 1], sorted[k]);
    const auto up_to = [&](Index edge) {
      return crossed[std::lower_bound(sorted, sorted + n_edges, edge) - sorted];
    };
    for (Index i = 0; i < block.count; ++i) {
      const Index count = up_to(edges[2 * i + 1]) - up_to(edges[2 * i]) + (first_crosses_ ? 1 : 0);
      rate_.row(block.b)[block.first + i] = static_cast<double>(count) / static_cast<double>(n_fft);
    }
  }

 private:
  // If zero has a sign of its own there are three signs. If not, there are two: -0 is negative, as
  // in numpy.signbit, and what the threshold silenced is positive.
  Index changes(const T* y, Index from, Index to) const {
    const T high = threshold_, low = -threshold_;
    if (zero_pos_) return count_changes(y, from, to, [=](T v) { return v < low; });
    return count_changes(y, from, to, [=](T v) { return int(v > high) - int(v < low); });
  }

  T threshold_;
  bool zero_pos_, first_crosses_;
  View<double> rate_;
};

}  // namespace

template <class T>
std::unique_ptr<Consumer<T>> ZeroCrossingRate::consumer(const Plan& plan, const In<T>& in,
                                                        const Out<T>& out) {
  return std::make_unique<CrossingConsumer<T>>(plan, in, out);
}

template <class T>
void ZeroCrossingRate::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  CrossingConsumer<T> consumer(plan, in, out);
  run_consumer(consumer);
}

Cost ZeroCrossingRate::cost(const Plan& plan) {
  const auto samples = static_cast<double>(plan.batch * plan.n_samples);
  return {plan.total_frames(), 4 * samples, 4 * samples};
}

METALMOM_INSTANTIATE_FRAME_OP(ZeroCrossingRate);

}  // namespace metalmom::ops
