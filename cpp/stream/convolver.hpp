// Convolution of a signal that comes in pieces, without latency: as many samples come out as go in.
#pragma once

#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "dsp/block_transform.hpp"
#include "stream/partition_plan.hpp"

namespace metalmom::stream {

template <class T>
class Convolver {
 public:
  // `responses`: one for all channels or one for each, of n_taps values.
  Convolver(const PartitionPlan& plan, const View<const T>& responses, Index channels);

  // Throws if a sample is not finite, and then changes nothing. `in` may be `out`.
  void process(const T* in, Index in_stride, Index count, T* out, Index out_stride);
  void reset();

  const PartitionPlan& plan() const { return plan_; }
  Index position() const { return position_; }

 private:
  // Partitions of one size: spectra of the response, and of each channel's last blocks.
  struct Level {
    Level(const LevelPlan& level, Index base, Index channels, const View<const T>& responses);

    LevelPlan plan;
    dsp::BlockTransform<T> blocks;
    std::vector<Index> units;  // the units of work of each slot (`spread`)
    Buffer<T> h;           // (response, group, partition)
    Buffer<T> x;           // (channel, group, place in the ring), newest first
    Buffer<T> sums, work;  // (channel, group); of the transforms of each channel
    Index place = 0;       // where the newest block is in the ring
    Index end = 0;         // end of the block of input that is being computed; 0: none yet
  };

  void end_slot();
  void work(Level& level, Index unit, Index channel);
  void make_room(Index count);
  T* history(Index channel) const { return history_.data() + channel * history_size_; }
  T* future(Index channel) const { return future_.data() + channel * future_size_; }

  const PartitionPlan plan_;
  const Index channels_, n_responses_;
  const dsp::simd::PartitionKernels<T>& kernels_;
  Buffer<T> head_;  // the direct taps of each response
  std::vector<Level> levels_;
  // History: the last samples of each channel, up to `held_`. Future: what is known already of
  // later output, in a ring on the grid of samples.
  Index past_, history_size_, future_size_, held_ = 0;
  Buffer<T> history_, future_;
  Index position_ = 0;
};

}  // namespace metalmom::stream
