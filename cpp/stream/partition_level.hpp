// Partitions of one size of a response: their spectra, those of the last blocks of each channel,
// and the work on a block: it is transformed, multiplied with all partitions, and transformed back.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "dsp/block_transform.hpp"
#include "stream/partition_plan.hpp"

namespace metalmom::stream {

template <class T>
class PartitionLevel {
 public:
  // `responses`: those of each channel, or one for all.
  PartitionLevel(const LevelPlan& plan, Index base, Index channels, const View<const T>& responses);

  const LevelPlan& plan() const { return plan_; }
  // Whether a block's work may be done while the next one comes.
  bool is_late() const { return plan_.first >= 2 * plan_.size; }
  Index channels() const { return channels_; }
  // The units of work of a block, to be done in this order; and how many of them are done before
  // slot `slot` since the block ended (`spread`).
  Index n_units() const { return units_.back(); }
  Index units_before(Index slot) const { return units_[static_cast<std::size_t>(slot)]; }
  // So many of the units make the block's spectrum.
  Index n_transforms() const { return blocks_.n_parts(); }

  // A unit of the work on block `number`, counted from 0, whose samples these are. The last units
  // add its result, twice the block's size, to `low` and `high`.
  void work(Index unit, Index number, Index channel, const T* samples, T* low, T* high);
  // The spectrum of a block that is not known is zero.
  void leave_out(Index number);
  void reset() { x_.zero(); }

 private:
  // Where the spectrum of a block is in the ring.
  Index place(Index number) const { return plan_.count - 1 - number % plan_.count; }

  LevelPlan plan_;
  Index channels_, n_responses_;
  const dsp::simd::PartitionKernels<T>& kernels_;
  dsp::BlockTransform<T> blocks_;
  std::vector<Index> units_;
  Buffer<T> h_;            // (response, group, partition)
  Buffer<T> x_;            // (channel, group, place in the ring), newest first
  Buffer<T> sums_, work_;  // (channel, group); of the transforms of each channel
};

}  // namespace metalmom::stream
