#include "gpu/kernels/band_layout.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/cache.hpp"
#include "base/ceil_div.hpp"
#include "gpu/kernels/band_tasks.hpp"
#include "gpu/kernels/serial_table.hpp"

namespace metalmom::gpu {

namespace {

// 32 tasks, where their threads begin to read, and where their weights begin in the table.
struct Block {
  std::span<const BandTask> tasks;
  WarpReads reads;
  std::uint32_t begin = 0;  // in steps
};

std::vector<Block> make_blocks(std::span<const BandTask> tasks, Index half) {
  std::vector<Block> blocks;
  std::uint32_t begin = 0;
  for (std::size_t at = 0; at < tasks.size(); at += warp) {
    const auto group = tasks.subspan(at, std::min<std::size_t>(warp, tasks.size() - at));
    blocks.push_back({group, plan_reads(group, half), begin});
    begin += static_cast<std::uint32_t>(blocks.back().reads.steps);
  }
  return blocks;
}

// A block for the frames [group * job_frames, (group + 1) * job_frames), done by one warp.
struct Job {
  const Block* block = nullptr;
  std::uint32_t group = 0;
};

// Which jobs each warp does: the longest first, each to the warp with the least to do.
std::vector<std::vector<Job>> share_out(const std::vector<Block>& blocks, const BandLayout& layout,
                                        const TransformShape& shape) {
  std::vector<Job> all;
  for (const Block& block : blocks)
    for (std::uint32_t group = 0; group < shape.frames() / layout.job_frames; ++group)
      all.push_back({&block, group});
  std::stable_sort(all.begin(), all.end(), [](const Job& a, const Job& b) {
    return a.block->reads.steps > b.block->reads.steps;
  });
  std::vector<std::vector<Job>> warps(shape.threads / warp);
  std::vector<Index> load(warps.size(), 0);
  for (const Job& job : all) {
    std::size_t best = warps.size();
    for (std::size_t w = 0; w < warps.size(); ++w)
      if (warps[w].size() < layout.jobs && (best == warps.size() || load[w] < load[best])) best = w;
    warps[best].push_back(job);
    load[best] += job.block->reads.steps;
  }
  return warps;
}

// A weight that was loaded serves up to four frames. Groups with more frames have several jobs a
// block, which warps can share out better, as far as the push constants have room for so many jobs.
void choose_jobs(BandLayout& layout, std::size_t blocks, const TransformShape& shape) {
  const std::uint32_t warps = shape.threads / warp;
  const auto jobs_with = [&](std::uint32_t frames) {
    const auto jobs = static_cast<std::uint32_t>(blocks) * (shape.frames() / frames);
    return std::max(ceil_div(jobs, warps), 1u);
  };
  layout.job_frames = std::min(shape.frames(), 4u);
  if (jobs_with(layout.job_frames) * warps > layout.steps.size())
    layout.job_frames = shape.frames();
  layout.jobs = jobs_with(layout.job_frames);
}

// The table: a task's word for each job of each thread; the last bin's weight in each band; then
// the weights of all blocks in pairs, 32 tasks a step.
void fill_table(BandLayout& layout, const std::vector<Block>& blocks, const BasisWeights& weight,
                Index n_bands, const TransformShape& shape) {
  const std::size_t words = std::size_t(layout.jobs) * shape.threads;
  layout.table.assign(round_up(words + static_cast<std::size_t>(n_bands), table_align), 0.0f);
  const auto idle = std::bit_cast<float>(task_idle << task_number_shift);
  std::fill_n(layout.table.begin(), words, idle);
  for (Index band = 0; layout.nyquist && band < n_bands; ++band)
    layout.table[words + static_cast<std::size_t>(band)] = weight(band, shape.half());
  for (const Block& block : blocks) {
    const std::size_t base = layout.table.size();
    layout.table.resize(base + static_cast<std::size_t>(block.reads.steps) * warp * 2, 0.0f);
    for (std::size_t i = 0; i < block.tasks.size(); ++i) {
      const BandTask& task = block.tasks[i];
      for (Index bin = task.first; bin < task.last; ++bin) {
        const auto step = static_cast<std::size_t>(bin - block.reads.begins[i]);
        float* const place = layout.table.data() + base + (step * warp + i) * 2;
        place[0] = task.low[static_cast<std::size_t>(bin - task.first)];
        place[1] = task.high[static_cast<std::size_t>(bin - task.first)];
      }
    }
  }
  const auto warps = share_out(blocks, layout, shape);
  for (std::size_t w = 0; w < warps.size(); ++w)
    for (std::size_t j = 0; j < warps[w].size(); ++j) {
      const Block& block = *warps[w][j].block;
      layout.steps[j * warps.size() + w] = static_cast<std::uint32_t>(block.reads.steps) |
                                           warps[w][j].group << job_group_shift |
                                           block.begin << job_weights_shift;
      for (std::size_t i = 0; i < block.tasks.size(); ++i)
        layout.table[j * shape.threads + w * warp + i] =
            std::bit_cast<float>(static_cast<std::uint32_t>(block.reads.begins[i]) |
                                 block.tasks[i].number << task_number_shift);
    }
}

// Floats of a frame in shared memory: room for the points as they cross between passes, then for
// the powers, then for the sums. The frames of one warp begin on different banks.
std::uint32_t frame_stride(const TransformShape& shape, std::uint32_t sums) {
  const std::uint32_t points = static_cast<std::uint32_t>(shape.half()) / shape.lanes;
  const std::uint32_t floats = std::max(points * shape.pitch, sums);
  return shape.lanes < warp ? round_up(floats, warp) + shape.lanes : floats;
}

BandLayout make_layout(const dsp::Basis& basis, const TransformShape& shape) {
  BandLayout layout;
  layout.serial = next_serial();
  const BasisWeights weight(basis);
  const auto n_bands = static_cast<std::uint32_t>(basis.n_bands());
  layout.overlapping = weight.overlapping();
  if (!layout.overlapping) layout.parts = std::max(1u, shape.threads / ((n_bands + 1) / 2));
  auto tasks = layout.overlapping ? overlapping_tasks(basis, shape.half())
                                  : row_tasks(basis, shape.half(), layout.parts);
  if (layout.overlapping)  // so that the threads of a warp have tasks of about the same length
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](const BandTask& a, const BandTask& b) { return a.count() > b.count(); });
  for (Index band = 0; band < basis.n_bands(); ++band)
    layout.nyquist = layout.nyquist || weight(band, shape.half()) != 0;
  layout.frame_stride = frame_stride(shape, 2 * static_cast<std::uint32_t>(tasks.size()) + 1);
  const std::vector<Block> blocks = make_blocks(tasks, shape.half());
  choose_jobs(layout, blocks.size(), shape);
  fill_table(layout, blocks, weight, basis.n_bands(), shape);
  return layout;
}

}  // namespace

std::uint32_t frame_stride_bound(const TransformShape& shape, Index n_bands) {
  return frame_stride(shape, 2 * std::max(static_cast<std::uint32_t>(n_bands), shape.threads) + 1);
}

std::shared_ptr<const BandLayout> band_layout(const std::shared_ptr<const dsp::Basis>& basis,
                                              Index n_fft) {
  struct Kept {
    std::shared_ptr<const dsp::Basis> basis;
    BandLayout layout;

    std::size_t bytes() const {
      return basis->bytes() + sizeof layout + layout.table.size() * sizeof(float);
    }
  };
  static Cache<std::pair<const dsp::Basis*, Index>, Kept> cache{"build tables of bands"};
  const auto kept = cache.get({basis.get(), n_fft}, [&] {
    return std::make_shared<const Kept>(basis, make_layout(*basis, *transform_shape(n_fft)));
  });
  return {kept, &kept->layout};
}

}  // namespace metalmom::gpu
