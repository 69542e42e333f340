#include "ops/spectral/zero_crossings.hpp"

#include <algorithm>
#include <cmath>

#include "base/buffer.hpp"
#include "base/workers.hpp"

namespace metalmom::ops {

namespace {

// crossings[i]: how many of the samples 1 .. i differ in sign from the one before.
template <class T>
void count_crossings(const T* y, Index n, T threshold, bool zero_pos, Index* crossings) {
  // Where zero has its own sign there are three, else two (a negative zero is then negative, as
  // numpy.signbit has it; what the threshold silenced is positive).
  const auto sign = [&](T value) {
    const bool silent = std::abs(value) <= threshold;
    if (zero_pos) return static_cast<int>(!silent && std::signbit(value));
    return silent ? 0 : value > 0 ? 1 : -1;
  };
  if (n > 0) crossings[0] = 0;
  for (Index i = 1; i < n; ++i) crossings[i] = crossings[i - 1] + (sign(y[i]) != sign(y[i - 1]));
}

}  // namespace

template <class T>
void ZeroCrossingRate::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  parallel_for(plan.batch, 1, [&](Index first, Index last) {
    static thread_local Scratch<Index> scratch;
    const Index n = plan.n_samples;
    Index* const crossings = scratch.get(static_cast<std::size_t>(std::max<Index>(n, 1)));
    for (Index b = first; b < last; ++b) {
      count_crossings(in.y.row(b), n, static_cast<T>(plan.threshold), plan.zero_pos, crossings);
      for (Index frame = 0; frame < plan.n_frames; ++frame) {
        // Beyond the ends the signal keeps its last value, so nothing crosses there.
        const Index begin = frame * plan.params.hop_length - plan.pad();
        const Index from = std::clamp<Index>(begin, 0, n - 1);
        const Index to = std::clamp<Index>(begin + plan.params.n_fft - 1, 0, n - 1);
        const Index count = crossings[to] - crossings[from] + (plan.first_crosses ? 1 : 0);
        out.rate.row(b)[frame] =
            static_cast<double>(count) / static_cast<double>(plan.params.n_fft);
      }
    }
  });
}

template void ZeroCrossingRate::run_cpu(const Plan&, const In<float>&, const Out<float>&);
template void ZeroCrossingRate::run_cpu(const Plan&, const In<double>&, const Out<double>&);

Cost ZeroCrossingRate::cost(const Plan& plan) {
  const auto samples = static_cast<double>(plan.batch * plan.n_samples);
  return {plan.total_frames(), 4 * samples, 4 * samples};
}

static_assert(Operation<ZeroCrossingRate>);

}  // namespace metalmom::ops
