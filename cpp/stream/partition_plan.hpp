// How an impulse response is cut: a direct head, then levels of partitions that grow, so that most
// of the work is done in long transforms and still nothing waits (Gardner 1995, "Efficient
// convolution without input-output delay"). Everything is laid on the absolute grid of samples:
// what is computed when does not depend on how the input is cut, nor do the bytes.
#pragma once

#include <string>
#include <vector>

#include "base/index.hpp"

namespace metalmom::stream {

// `fft`: one partition, whose head answers meanwhile; `uniform`: partitions of the first one's
// size.
enum class PartitionMethod { automatic, direct, fft, uniform, partitioned };

inline constexpr Index groups_at_once = 4;  // whose products are one unit of work

// Partitions of one size. A block of input that ends at sample p changes the output from p + first
// - size on. So a level with first = 2 * size has the time of `size` samples to compute it.
struct LevelPlan {
  Index size = 0, first = 0, count = 0;  // taps [first, first + count * size)
};

struct PartitionPlan {
  Index base = 0;         // samples of a slot
  Index direct_taps = 0;  // taps that are applied sample by sample
  std::vector<LevelPlan> levels;
  double cost = 0;         // expected nanoseconds per sample
  double direct_cost = 0;  // the same, if all taps were direct
  std::string text;        // "64 direct + 7x64 + 6x256"

  Index largest() const { return levels.empty() ? base : levels.back().size; }
};

// `zeros`: the response begins with so many zeros, which is the latency that is allowed. It lets
// the first level be larger.
PartitionPlan plan_partitions(Index n_taps, Index zeros, Index block_size, PartitionMethod method);

// The units of work of a level, one after the other: `n_parts` parts of the transform, the products
// of groups_at_once groups each, n_parts parts of the way back (dsp/block_transform.hpp). In slot s
// (of `base` samples, since a block of input ended) it does those from result[s] to before result[s
// + 1].
std::vector<Index> spread(const LevelPlan& level, Index base, Index n_parts);

}  // namespace metalmom::stream
