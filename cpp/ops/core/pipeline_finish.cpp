// What pipelines do when all blocks of some signals are consumed.
#include <algorithm>

#include "base/stage.hpp"
#include "dsp/decibel.hpp"
#include "ops/core/chain.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/core/spent_time.hpp"

namespace metalmom::ops {

template <class T>
T Finished<T>::maximum(Index signal) const {
  return dsp::largest_of(maxima + signal * blocks_per_signal, blocks_per_signal);
}
template struct Finished<float>;
template struct Finished<double>;

template <class T>
Index Pipeline<T>::finish_tasks(Index n_signals) const {
  Index tasks = 0;
  for (const auto* each : consumers_) tasks += each->finish_tasks(n_signals);
  return tasks;
}

template <class T>
void Pipeline<T>::finish(const Segment& segment, Index task) const {
  // Consumers with equal taps and as many tasks read the same levels. Their tasks alternate, so
  // that each level is read by all of them while it is in cache.
  Consumers rest = consumers_;
  while (!rest.empty()) {
    const Index tasks = rest[0]->finish_tasks(segment.n_signals);
    const auto other = std::ranges::find_if(rest, [&](const auto* each) {
      return chain_of(each->tap()) != chain_of(rest[0]->tap()) ||
             each->finish_tasks(segment.n_signals) != tasks;
    });
    const Index count = other - rest.begin();
    if (task < count * tasks)
      return finish(segment, rest[static_cast<std::size_t>(task % count)], task / count);
    task -= count * tasks;
    rest = rest.subspan(static_cast<std::size_t>(count));
  }
}

template <class T>
void Pipeline<T>::finish(const Segment& segment, Consumer<T>* const& consumer, Index task) const {
  const Place& at = place(consumer);
  const Tap& tap = consumer->tap();
  const auto part = [&](Index offset) { return segment.memory + segment.n_signals * offset; };
  const Stage stage(consumer->span_name(consumers_.size() == 1));
  const SpentTime time(consumer, Spending::own);
  consumer->finish({segment.b, segment.n_signals, part(at.own), part(at.levels), part(at.maxima),
                    blocks().per_signal(), tap.value == Tap::Value::levels ? tap.basis->n_bands() : 0,
                    at.exclusive, lanes()},
                   task);
}

template <class T>
void Pipeline<T>::end() const {
  for (auto* each : consumers_) {
    const SpentTime time(each, Spending::own);
    each->end();
  }
}

template Index Pipeline<float>::finish_tasks(Index) const;
template void Pipeline<float>::finish(const Segment&, Index) const;
template void Pipeline<float>::end() const;
template Index Pipeline<double>::finish_tasks(Index) const;
template void Pipeline<double>::finish(const Segment&, Index) const;
template void Pipeline<double>::end() const;

}  // namespace metalmom::ops
