#include "gpu/kernels/band_layout.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <numeric>
#include <utility>

#include "base/cache.hpp"
#include "gpu/kernels/basis_weights.hpp"

namespace metalmom::gpu {

namespace {

constexpr std::uint32_t warp = 32;
constexpr std::uint32_t idle = 0xffff;

// Bins [first, last) of one thread; the weights of `low` are for its own band, those of `high` for
// the next one.
struct Task {
  std::uint32_t number = 0;
  Index first = 0, last = 0;
  std::vector<float> low, high;
  Index count() const { return last - first; }
};

// One task a band. The bins before the first band's centre feed it alone, so they can join the bins
// after it: as many tasks as bands.
std::vector<Task> paired_tasks(const dsp::Basis& basis, const BasisWeights& weight, Index half) {
  const Index n_bands = basis.n_bands();
  std::vector<Task> tasks(static_cast<std::size_t>(n_bands));
  for (Index band = 0; band < n_bands; ++band)
    tasks[static_cast<std::size_t>(band)].number = static_cast<std::uint32_t>(band);
  for (const auto& segment : basis.segments()) {
    if (segment.band >= n_bands) break;
    Task& task = tasks[static_cast<std::size_t>(std::max<Index>(segment.band, 0))];
    for (Index bin = segment.first; bin < std::min(segment.last, half); ++bin) {
      const Index band = task.number;
      const float low = weight(band, bin);
      const float high = band + 1 < n_bands ? weight(band + 1, bin) : 0.0f;
      if (low == 0 && high == 0) continue;
      if (task.count() == 0) task.first = task.last = bin;
      for (; task.last < bin; ++task.last) task.low.push_back(0), task.high.push_back(0);
      task.low.push_back(low), task.high.push_back(high);
      ++task.last;
    }
  }
  return tasks;
}

// Every band in `parts` runs of bins; part by part, so that neighbouring threads read the same bins
// for different bands, in one access.
std::vector<Task> single_tasks(const dsp::Basis& basis, const BasisWeights& weight, Index half,
                               Index parts) {
  std::vector<Task> tasks;
  for (Index part = 0; part < parts; ++part)
    for (Index band = 0; band < basis.n_bands(); ++band) {
      const auto& row = basis.rows()[static_cast<std::size_t>(band)];
      const Index first = std::min(row.first, half), last = std::min(row.last, half);
      const Index length = (last - first + parts - 1) / parts;
      Task task{static_cast<std::uint32_t>(band * parts + part), first + part * length, 0, {}, {}};
      task.first = std::min(task.first, last);
      task.last = std::min(task.first + length, last);
      for (Index bin = task.first; bin < task.last; ++bin) task.low.push_back(weight(band, bin));
      tasks.push_back(std::move(task));
    }
  return tasks;
}

// The first bin that each of a warp's threads reads. All read `steps` bins, with weight 0 outside
// their own, so a thread with fewer may begin earlier: on a bank that is free.
std::vector<Index> place_on_banks(std::span<const Task> tasks, Index steps, Index half) {
  std::vector<Index> begins;
  std::array<int, warp> load = {};
  for (const Task& task : tasks) {
    const Index highest = std::min(task.first, half - steps);
    const Index lowest = std::max<Index>(0, task.last - steps);
    Index best = highest;
    for (Index begin = highest; begin >= lowest; --begin) {
      const auto shared = std::find(begins.begin(), begins.end(), begin);
      if (shared != begins.end() || load[static_cast<std::size_t>(begin % warp)] == 0) {
        best = begin;
        break;
      }
      if (load[static_cast<std::size_t>(begin % warp)] <
          load[static_cast<std::size_t>(best % warp)])
        best = begin;
    }
    if (std::find(begins.begin(), begins.end(), best) == begins.end())
      ++load[static_cast<std::size_t>(best % warp)];
    begins.push_back(best);
  }
  return begins;
}

// Writes the table: a task word for each thread and round, the last bin's weights, then the steps
// of each warp's tasks, 32 weights (or pairs) a step.
void fill_table(BandLayout& layout, std::vector<Task>& tasks, const BasisWeights& weight,
                Index n_bands, const TransformShape& shape) {
  if (layout.paired)  // threads of a warp take equally long
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const Task& a, const Task& b) { return a.count() > b.count(); });
  const std::size_t slots = layout.rounds * shape.threads();
  const std::size_t head = (slots + static_cast<std::size_t>(n_bands) + warp - 1) / warp * warp;
  layout.table.assign(head, 0.0f);
  for (std::size_t i = 0; i < slots; ++i) layout.table[i] = std::bit_cast<float>(idle << 16);
  for (Index band = 0; layout.nyquist && band < n_bands; ++band)
    layout.table[slots + static_cast<std::size_t>(band)] = weight(band, shape.half());
  const std::size_t width = layout.paired ? 2 : 1;
  std::uint32_t done = 0;
  for (std::size_t at = 0; at < tasks.size(); at += warp) {
    const std::span<const Task> group(tasks.data() + at,
                                      std::min<std::size_t>(warp, tasks.size() - at));
    Index steps = 0;
    for (const Task& task : group) steps = std::max(steps, task.count());
    const std::vector<Index> begins = place_on_banks(group, steps, shape.half());
    layout.steps[at / warp] = static_cast<std::uint32_t>(steps) | done << 16;
    const std::size_t base = layout.table.size();
    layout.table.resize(base + static_cast<std::size_t>(steps) * warp * width, 0.0f);
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Task& task = group[i];
      layout.table[at + i] =
          std::bit_cast<float>(static_cast<std::uint32_t>(begins[i]) | task.number << 16);
      for (Index bin = task.first; bin < task.last; ++bin) {
        const auto step = static_cast<std::size_t>(bin - begins[i]);
        float* const place = layout.table.data() + base + (step * warp + i) * width;
        place[0] = task.low[static_cast<std::size_t>(bin - task.first)];
        if (layout.paired) place[1] = task.high[static_cast<std::size_t>(bin - task.first)];
      }
    }
    done += static_cast<std::uint32_t>(steps);
  }
}

// Room for a spectrum, then for its sums; frames of one warp begin on different banks.
std::uint32_t frame_stride(const TransformShape& shape, std::uint32_t sums) {
  const std::uint32_t floats = std::max(static_cast<std::uint32_t>(shape.half()), sums);
  return shape.lanes() < warp ? (floats + warp - 1) / warp * warp + shape.lanes() : floats;
}

BandLayout make_layout(const dsp::Basis& basis, const TransformShape& shape) {
  BandLayout layout;
  layout.serial = next_serial();
  const BasisWeights weight(basis);
  const auto n_bands = static_cast<std::uint32_t>(basis.n_bands());
  layout.paired = weight.overlapping();
  if (!layout.paired) layout.parts = std::max(1u, shape.threads() / n_bands);
  auto tasks = layout.paired ? paired_tasks(basis, weight, shape.half())
                             : single_tasks(basis, weight, shape.half(), layout.parts);
  const auto n_tasks = static_cast<std::uint32_t>(tasks.size());
  layout.rounds = std::max(1u, (n_tasks + shape.threads() - 1) / shape.threads());
  for (Index band = 0; band < basis.n_bands(); ++band)
    layout.nyquist = layout.nyquist || weight(band, shape.half()) != 0;
  layout.frame_stride = frame_stride(shape, (layout.paired ? 2 * n_bands : n_tasks) + 1);
  fill_table(layout, tasks, weight, basis.n_bands(), shape);
  return layout;
}

}  // namespace

std::uint32_t frame_stride_bound(const TransformShape& shape, Index n_bands) {
  return frame_stride(shape,
                      std::max(2 * static_cast<std::uint32_t>(n_bands), shape.threads()) + 1);
}

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serial{0};
  return ++serial;
}

std::shared_ptr<const BandLayout> band_layout(const std::shared_ptr<const dsp::Basis>& basis,
                                              Index n_fft) {
  struct Kept {
    std::shared_ptr<const dsp::Basis> basis;
    BandLayout layout;
  };
  static Cache<std::pair<const dsp::Basis*, Index>, Kept> cache(32);
  const auto kept = cache.get({basis.get(), n_fft}, [&] {
    return std::make_shared<const Kept>(basis, make_layout(*basis, *transform_shape(n_fft)));
  });
  return {kept, &kept->layout};
}

}  // namespace metalmom::gpu
