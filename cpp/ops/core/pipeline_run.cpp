// The schedule of pipelines: which signals are in work together, and their blocks in parallel.
#include <algorithm>

#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "ops/core/pipeline.hpp"

namespace metalmom::ops {

namespace {

// Segments of pipelines that are in work at the same time.
template <class T>
struct Wave {
  struct Part {
    const Pipeline<T>* pipeline;
    typename Pipeline<T>::Segment segment;
  };
  std::vector<Part> parts;
  std::vector<Index> blocks{0}, tasks{0};  // running totals: those of the first i parts

  void add(const Pipeline<T>& pipeline, Index b, Index n_signals) {
    parts.push_back({&pipeline, {b, n_signals, nullptr}});
    blocks.push_back(blocks.back() + n_signals * pipeline.blocks().per_signal());
    tasks.push_back(tasks.back() + pipeline.finish_tasks(n_signals));
  }

  // Splits the range [first, last) of all items by parts, where `ends` has their running totals.
  // Calls body(part, first, last) with the items of each part.
  template <class F>
  void divide(const std::vector<Index>& ends, Index first, Index last, F&& body) const {
    auto i = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), first) -
                                      ends.begin() - 1);
    for (; first < last; ++i) {
      const Index stop = std::min(last, ends[i + 1]);
      if (first < stop) body(parts[i], first - ends[i], stop - ends[i]);
      first = stop;
    }
  }

  void run() {
    Index values = 0;
    for (const Part& part : parts)
      values += part.segment.n_signals * part.pipeline->stored_per_signal();
    const Lent<T> memory(values);
    T* at = memory;
    for (Part& part : parts) {
      part.segment.memory = at;
      at += part.segment.n_signals * part.pipeline->stored_per_signal();
    }
    parallel_for(blocks.back(), block_grain, [&](Index first, Index last) {
      divide(blocks, first, last, [](const Part& part, Index begin, Index end) {
        part.pipeline->consume(part.segment, begin, end);
      });
    });
    parallel_for(tasks.back(), block_grain, [&](Index first, Index last) {
      divide(tasks, first, last, [](const Part& part, Index begin, Index end) {
        for (Index task = begin; task < end; ++task) part.pipeline->finish(part.segment, task);
      });
    });
  }
};

// A bound on the values that wait for the end of their signals. Where one wave ends and the next
// begins does not change results.
constexpr Index wave_values = Index(1) << 22;

// Ends many pipelines side by side; a few one after the other, each with all workers.
template <class T>
void end_all(std::span<const Pipeline<T>> pipelines) {
  auto end_some = [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) pipelines[static_cast<std::size_t>(i)].end();
  };
  const auto count = std::ssize(pipelines);
  if (count >= 2 * thread_count())
    parallel_for(count, block_grain, end_some);
  else
    end_some(0, count);
}

}  // namespace

template <class T>
void run_pipelines(std::span<const Pipeline<T>> pipelines) {
  Wave<T> wave;
  Index values = 0;
  const auto run_wave = [&] {
    wave.run();
    wave = {};
    values = 0;
  };
  for (const Pipeline<T>& pipeline : pipelines) {
    const Index batch = pipeline.blocks().batch, each = pipeline.stored_per_signal();
    for (Index b = 0; b < batch;) {
      const Index room = each > 0 ? (wave_values - values) / each : batch;
      if (room < 1 && values > 0) {
        run_wave();
        continue;
      }
      const Index n_signals = std::clamp<Index>(room, 1, batch - b);
      wave.add(pipeline, b, n_signals);
      values += n_signals * each;
      b += n_signals;
    }
  }
  if (!wave.parts.empty()) wave.run();
  end_all(pipelines);
}

template void run_pipelines(std::span<const Pipeline<float>>);
template void run_pipelines(std::span<const Pipeline<double>>);

template <class T>
void run_consumer(Consumer<T>& consumer) {
  Transforms transforms;
  const Pipeline<T> pipeline({&consumer}, transforms);
  run_pipelines(std::span(&pipeline, 1));
}

template void run_consumer(Consumer<float>&);
template void run_consumer(Consumer<double>&);

}  // namespace metalmom::ops
