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

// The first band that weighs a bin, and how many do; bands of an overlapping basis.
struct BinBands {
  Index first = 0, count = 0;
};
std::vector<BinBands> bands_of_bins(const dsp::Basis& basis, const BasisWeights& weight,
                                    Index half) {
  std::vector<BinBands> result(static_cast<std::size_t>(half));
  for (const auto& segment : basis.segments())
    for (Index bin = segment.first; bin < std::min(segment.last, half); ++bin) {
      BinBands& bands = result[static_cast<std::size_t>(bin)];
      for (Index band = std::min(segment.band + 1, basis.n_bands() - 1);
           band >= std::max<Index>(segment.band, 0); --band)
        if (weight(band, bin) != 0) bands = {band, bands.count + 1};
    }
  return result;
}

// One task a band: the bins that feed band and band + 1. What feeds one band alone can go to its
// own task or the one before; it goes to its own, so that both ends of the spectrum do.
std::vector<Task> paired_tasks(const dsp::Basis& basis, const BasisWeights& weight, Index half) {
  const Index n_bands = basis.n_bands();
  std::vector<Task> tasks(static_cast<std::size_t>(n_bands));
  for (Index band = 0; band < n_bands; ++band)
    tasks[static_cast<std::size_t>(band)].number = static_cast<std::uint32_t>(band);
  const auto bands = bands_of_bins(basis, weight, half);
  Index owner = n_bands - 1;  // downwards, so that it can follow the bins above
  for (Index bin = half - 1; bin >= 0; --bin) {
    const BinBands& here = bands[static_cast<std::size_t>(bin)];
    if (here.count == 0) continue;
    owner = std::min(owner, here.first);
    Task& task = tasks[static_cast<std::size_t>(owner)];
    if (task.count() == 0) task.first = task.last = bin + 1;
    for (; task.first > bin; --task.first) {
      task.low.push_back(weight(owner, task.first - 1));
      task.high.push_back(owner + 1 < n_bands ? weight(owner + 1, task.first - 1) : 0.0f);
    }
  }
  for (Task& task : tasks) {
    std::reverse(task.low.begin(), task.low.end());
    std::reverse(task.high.begin(), task.high.end());
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

// Where each of a warp's threads begins to read. All read `steps` bins, with weight 0 outside their
// own, so a thread with fewer may begin earlier, on a bank that is free: a matching of threads with
// banks, by augmenting paths. Threads that read the same bin share its bank for nothing.
class BankPlan {
 public:
  BankPlan(std::span<const Task> tasks, Index steps, Index half) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const Task& task = tasks[i];
      const Index highest = std::min(task.count() ? task.first : half, half - steps);
      lowest_.push_back(std::max<Index>(0, task.last - steps));
      begins.push_back(highest);
      highest_.push_back(highest);
      const auto twin = std::find(begins.begin(), begins.end() - 1, highest);
      if (twin != begins.end() - 1 && task.count() == steps) continue;
      std::array<bool, warp> seen = {};
      if (!place(static_cast<int>(i), seen)) ++crowded_;
    }
  }
  // Accesses of the fullest bank in each step.
  Index passes() const { return 1 + (crowded_ > 0) + crowded_ / 32; }

  std::vector<Index> begins;

 private:
  bool place(int thread, std::array<bool, warp>& seen) {
    const auto i = static_cast<std::size_t>(thread);
    for (Index begin = highest_[i]; begin >= lowest_[i]; --begin) {
      const auto bank = static_cast<std::size_t>(begin % warp);
      if (seen[bank]) continue;
      seen[bank] = true;
      if (owner_[bank] >= 0 && !place(owner_[bank], seen)) continue;
      owner_[bank] = thread;
      begins[i] = begin;
      return true;
    }
    return false;
  }

  std::vector<Index> lowest_, highest_;
  std::array<int, warp> owner_ = [] {
    std::array<int, warp> none;
    none.fill(-1);
    return none;
  }();
  int crowded_ = 0;
};

// A few steps more can be worth it when they free the banks.
BankPlan plan_banks(std::span<const Task> tasks, Index& steps, Index half) {
  Index longest = 0;
  for (const Task& task : tasks) longest = std::max(longest, task.count());
  BankPlan best(tasks, steps = longest, half);
  for (Index more = longest + 1; more <= std::min(longest + longest / 2 + 1, half); ++more) {
    BankPlan candidate(tasks, more, half);
    if (candidate.passes() * more >= best.passes() * steps) continue;
    best = std::move(candidate);
    steps = more;
  }
  return best;
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
    const std::vector<Index> begins = plan_banks(group, steps, shape.half()).begins;
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
