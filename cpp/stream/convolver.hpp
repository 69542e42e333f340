// Convolution of a signal that comes in pieces, without latency: as many samples come out as go in.
#pragma once

#include <memory>
#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "stream/late_worker.hpp"
#include "stream/partition_level.hpp"

namespace metalmom::stream {

// Who does the work of large partitions: `process`, a share in each slot, or a thread.
enum class LateWork { shared, by_worker };

template <class T>
class Convolver {
 public:
  // `responses`: one for all channels or one for each, of n_taps values.
  Convolver(const PartitionPlan& plan, const View<const T>& responses, Index channels,
            LateWork late_work = LateWork::shared);

  // Throws if a sample is not finite, or so large that a sum could leave T: that would leave NaN in
  // the spectra of blocks for longer than the response.
  void check(const T* in, Index in_stride, Index count) const;
  bool takes(const T* in, Index in_stride, Index count) const;  // whether `check` is content
  // Takes samples that `check` does not refuse. `in` may be `out`.
  void process(const T* in, Index in_stride, Index count, T* out, Index out_stride);
  void reset();

  const PartitionPlan& plan() const { return plan_; }
  Index n_taps() const { return n_taps_; }
  Index channels() const { return channels_; }
  Index position() const { return position_; }
  // With a worker: blocks of a level whose share of the result was not ready in time, and is
  // missing.
  Index missed_blocks() const { return missed_; }
  // Waits for the worker: what it has begun is ready then.
  void settle();

 private:
  struct Level {
    Level(const LevelPlan& level, Index base, Index channels, const View<const T>& responses)
        : partitions(level, base, channels, responses) {}

    PartitionLevel<T> partitions;
    // Of a late level without a worker: the results of every other block, twice its size for each
    // channel. They are added to the future while the next block's are computed.
    Buffer<T> results[2];
    T* added = nullptr;  // those that are added now
  };

  void end_slot();
  void begin_block(Level& level, LateBlocks<T>* blocks, Index number);
  void add_results(Level& level, LateBlocks<T>* blocks);
  void work(Level& level, Index number);
  LateBlocks<T>* blocks_of(std::size_t level) const;
  void make_room(Index count);
  T* history(Index channel) const { return history_.data() + channel * history_size_; }
  T* future(Index channel) const { return future_.data() + channel * future_size_; }

  const PartitionPlan plan_;
  const Index channels_, n_responses_, n_taps_;
  const T largest_sample_;
  const dsp::simd::PartitionKernels<T>& kernels_;
  Buffer<T> head_;  // the direct taps of each response
  std::vector<Level> levels_;
  // History: the last samples of each channel, up to `held_`. Future: what is known already of
  // later output, in a ring on the grid of samples.
  Index past_, history_size_, future_size_, held_ = 0;
  Buffer<T> history_, future_;
  Index position_ = 0, missed_ = 0;
  // With a worker, of the late levels, which are the last ones.
  std::vector<std::unique_ptr<LateBlocks<T>>> blocks_;
  std::unique_ptr<LateWorker<T>> worker_;
};

}  // namespace metalmom::stream
