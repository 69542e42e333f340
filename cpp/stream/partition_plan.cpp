#include "stream/partition_plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/ceil_div.hpp"
#include "dsp/convolution_costs.hpp"
#include "dsp/simd/partitions.hpp"

namespace metalmom::stream {

namespace {

using dsp::smallest_block;

constexpr Index largest_block = 8192;

// Costs in nanoseconds, measured on one core with AVX-512: a transform of 2 L samples and what a
// job costs beside it; a product of two spectra of L bins, in a level that keeps `count` of each; a
// tap of the head.
double transform_cost(Index size) {
  const auto n = static_cast<double>(2 * size);
  return 0.025 * n * std::log2(n) + 60;
}
double product_cost(Index size, Index count) {
  // Bins take longer to load when the level's spectra exceed the first-level, then the second-level
  // cache.
  const double bytes = 16.0 * static_cast<double>(size * count);
  const double of_bin = bytes < 32e3 ? 0.04 : bytes < 512e3 ? 0.12 : 0.35;
  return of_bin * static_cast<double>(size);
}
double level_cost(const LevelPlan& level) {
  const auto count = static_cast<double>(level.count);
  return (2 * transform_cost(level.size) + count * product_cost(level.size, level.count)) /
         static_cast<double>(level.size);
}
double head_cost(Index taps) {
  return dsp::ns_of_direct_tap * static_cast<double>(taps) + 1;
}

double cost_of(const PartitionPlan& plan) {
  double cost = head_cost(plan.direct_taps);
  for (const LevelPlan& level : plan.levels) cost += level_cost(level);
  return cost;
}

// The plan whose levels have these sizes. Each level but the last reaches to twice the next one's
// size.
PartitionPlan levels_of(const std::vector<Index>& sizes, Index n_taps, Index zeros) {
  PartitionPlan plan;
  plan.base = sizes[0];
  plan.direct_taps = zeros >= plan.base ? 0 : std::min(plan.base, n_taps);
  Index first = plan.base;
  for (std::size_t i = 0; i < sizes.size() && first < n_taps; ++i) {
    const Index end = i + 1 < sizes.size() ? std::min(2 * sizes[i + 1], n_taps) : n_taps;
    if (end <= first) continue;
    const Index count = ceil_div(end - first, sizes[i]);
    plan.levels.push_back({sizes[i], first, count});
    first += count * sizes[i];
  }
  plan.cost = cost_of(plan);
  return plan;
}

// The cheapest plan of all rising sequences of powers of two.
PartitionPlan cheapest(Index base, Index n_taps, Index zeros) {
  PartitionPlan best;
  const int choices = std::countr_zero(static_cast<std::uint64_t>(largest_block / base));
  for (unsigned chosen = 0; chosen < (1U << choices); ++chosen) {
    std::vector<Index> sizes{base};
    for (int i = 0; i < choices; ++i)
      if (chosen >> i & 1U) sizes.push_back(base << (i + 1));
    if (sizes.back() > base && 2 * sizes.back() >= n_taps) continue;
    PartitionPlan plan = levels_of(sizes, n_taps, zeros);
    if (best.base == 0 || plan.cost < best.cost) best = std::move(plan);
  }
  return best;
}

std::string text_of(const PartitionPlan& plan) {
  std::string text = plan.direct_taps > 0 ? std::to_string(plan.direct_taps) + " direct" : "";
  for (const LevelPlan& level : plan.levels)
    text += (text.empty() ? "" : " + ") + std::to_string(level.count) + "x" +
            std::to_string(level.size);
  return text;
}

}  // namespace

// Every slot has its equal share, so that all slots of all levels together cost alike.
std::vector<Index> spread(const LevelPlan& level, Index base, Index n_parts) {
  const Index n_products = level.size / dsp::simd::group_bins / groups_at_once;
  const Index slots = level.size / base, n_units = 2 * n_parts + n_products;
  std::vector<Index> units(static_cast<std::size_t>(slots + 1), n_units);
  units[0] = 0;
  // A level whose first tap is at its own size, not at twice that, has no time to distribute: all
  // its work is done when a block ends.
  if (slots == 1 || level.first < 2 * level.size) return units;
  const double of_part = transform_cost(level.size) / static_cast<double>(n_parts);
  const double of_product = static_cast<double>(level.count) *
                            product_cost(level.size, level.count) / static_cast<double>(n_products);
  const double share = level_cost(level) * static_cast<double>(base);
  double done = 0;
  Index unit = 0;
  for (Index slot = 0; slot < slots; ++slot) {
    units[static_cast<std::size_t>(slot)] = unit;
    for (; unit < n_units; ++unit) {
      const bool product = unit >= n_parts && unit < n_parts + n_products;
      const double cost = product ? of_product : of_part;
      // A unit belongs to the slot in which its middle falls.
      if (done + cost / 2 > static_cast<double>(slot + 1) * share) break;
      done += cost;
    }
  }
  return units;
}

PartitionPlan plan_partitions(Index n_taps, Index zeros, Index block_size, PartitionMethod method) {
  PartitionPlan direct;
  direct.base = smallest_block;
  direct.direct_taps = n_taps;
  direct.direct_cost = direct.cost = head_cost(n_taps);
  // The first level is no larger than a block of the caller, or than the latency allowed. Above 256
  // a longer direct head costs more than shorter transforms.
  const Index allowed =
      zeros >= smallest_block ? std::min<Index>(zeros, 1024) : std::min<Index>(block_size, 256);
  const auto base = std::max<Index>(
      static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(std::max<Index>(allowed, 1)))),
      smallest_block);
  PartitionPlan plan;
  if (method == PartitionMethod::direct) {
    plan = direct;
  } else if (method == PartitionMethod::fft) {
    const auto half = static_cast<std::uint64_t>(ceil_div(n_taps, 2));
    plan = levels_of({std::max(static_cast<Index>(std::bit_ceil(half)), smallest_block)}, n_taps,
                     zeros);
  } else if (method == PartitionMethod::uniform) {
    plan = levels_of({base}, n_taps, zeros);
  } else {
    for (Index each = smallest_block; each <= base; each *= 2) {
      PartitionPlan of_base = cheapest(each, n_taps, zeros);
      if (plan.base == 0 || of_base.cost < plan.cost) plan = std::move(of_base);
    }
    if (method == PartitionMethod::automatic && direct.cost <= plan.cost) plan = direct;
  }
  plan.direct_cost = direct.cost;
  plan.text = text_of(plan);
  return plan;
}

}  // namespace metalmom::stream
