#include "gpu/kernels/band_tasks.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ceil_div.hpp"

namespace metalmom::gpu {

namespace {

// For a bin of an overlapping basis: the first band that weighs it, and how many bands do (0, 1,
// 2).
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

// Shared memory is divided into 32 banks: bin i lies in bank i % 32, and a bank serves one address
// in a step. The 32 threads of a warp read runs of `steps` consecutive bins side by side, so two
// threads that begin in different banks never meet. A thread may begin earlier than its task, with
// weights of zero; within that freedom this gives each thread a bank of its own where it can: a
// bipartite matching of threads and banks by augmenting paths (Kuhn 1955). Threads that begin at
// the same bin read one address, which is one access: only the first of them needs a bank.
class BankPlan {
 public:
  BankPlan(std::span<const BandTask> tasks, Index steps, Index half) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const BandTask& task = tasks[i];
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
  // How often the fullest bank is read in each step, estimated from the number of threads that
  // found no bank of their own.
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

}  // namespace

// Task b owns a run of bins, each of which feeds band b ("low"), band b + 1 ("high") or both. A bin
// that feeds band b alone could be owned by task b, as low, or by task b - 1, as high. It goes to
// task b: the lowest bins feed band 0 alone, and there is no task -1.
std::vector<BandTask> overlapping_tasks(const dsp::Basis& basis, Index half) {
  const BasisWeights weight(basis);
  const Index n_bands = basis.n_bands();
  std::vector<BandTask> tasks(static_cast<std::size_t>(n_bands));
  for (Index band = 0; band < n_bands; ++band)
    tasks[static_cast<std::size_t>(band)].number = static_cast<std::uint32_t>(band);
  const auto bands = bands_of_bins(basis, weight, half);
  Index owner = n_bands - 1;  // downwards, so that it can follow the bins above
  for (Index bin = half - 1; bin >= 0; --bin) {
    const BinBands& here = bands[static_cast<std::size_t>(bin)];
    if (here.count == 0) continue;
    owner = std::min(owner, here.first);
    BandTask& task = tasks[static_cast<std::size_t>(owner)];
    if (task.count() == 0) task.first = task.last = bin + 1;
    for (; task.first > bin; --task.first) {
      task.low.push_back(weight(owner, task.first - 1));
      task.high.push_back(owner + 1 < n_bands ? weight(owner + 1, task.first - 1) : 0.0f);
    }
  }
  for (BandTask& task : tasks) {
    std::reverse(task.low.begin(), task.low.end());
    std::reverse(task.high.begin(), task.high.end());
  }
  return tasks;
}

// Each pair of neighbouring bands is cut into `parts` runs of bins. All pairs' first runs come
// first, then all second runs: neighbouring threads then have the same part of different bands, and
// where the bands cover the same bins they read one address, which is one access.
std::vector<BandTask> row_tasks(const dsp::Basis& basis, Index half, Index parts) {
  const BasisWeights weight(basis);
  const Index n_bands = basis.n_bands();
  std::vector<BandTask> tasks;
  for (Index part = 0; part < parts; ++part)
    for (Index band = 0; band < n_bands; band += 2) {
      const auto& row = basis.rows()[static_cast<std::size_t>(band)];
      const auto& next = basis.rows()[static_cast<std::size_t>(std::min(band + 1, n_bands - 1))];
      const Index first = std::min({row.first, next.first, half});
      const Index last = std::clamp(std::max(row.last, next.last), first, half);
      const Index length = ceil_div(last - first, parts);
      BandTask task;
      task.number = static_cast<std::uint32_t>(band / 2 * parts + part);
      task.first = std::min(first + part * length, last);
      task.last = std::min(task.first + length, last);
      for (Index bin = task.first; bin < task.last; ++bin) {
        task.low.push_back(weight(band, bin));
        task.high.push_back(band + 1 < n_bands ? weight(band + 1, bin) : 0.0f);
      }
      tasks.push_back(std::move(task));
    }
  return tasks;
}

// A few steps more than the longest task can be worth it when they free the banks.
WarpReads plan_reads(std::span<const BandTask> tasks, Index half) {
  Index longest = 0;
  for (const BandTask& task : tasks) longest = std::max(longest, task.count());
  longest = round_up(longest, step_multiple);
  BankPlan best(tasks, longest, half);
  Index steps = longest;
  for (Index more = longest + step_multiple; more <= std::min(longest + longest / 2 + 1, half);
       more += step_multiple) {
    BankPlan candidate(tasks, more, half);
    if (candidate.passes() * more >= best.passes() * steps) continue;
    best = std::move(candidate);
    steps = more;
  }
  return {steps, std::move(best.begins)};
}

}  // namespace metalmom::gpu
