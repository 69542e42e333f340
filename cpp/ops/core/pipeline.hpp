// Runs consumers over the frames of their signals: each value of a block is computed once, and
// every consumer reads it while the block is in cache. Neither a spectrogram nor bands exist as a
// whole unless a consumer asks for them.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ops/core/consumer.hpp"
#include "ops/core/transforms.hpp"

namespace metalmom::ops {

// |X|^2 of every block of a batch in lane layout, kept for a second pass over the same frames. The
// transforms are in the precision of the audio.
template <class T>
struct KeptPowers {
  T* squares = nullptr;  // n_bins * 16 values a block
  bool filled = false;   // true: read the squares; false: write them
};

// Consumers of the same frames of the same audio. What a consumer gets does not depend on the
// others, nor on how blocks are divided among workers: results are bitwise those of each alone.
template <class T>
class Pipeline {
 public:
  Pipeline(std::vector<Consumer<T>*> consumers, Transforms& transforms, KeptPowers<T> kept = {});

  // Whether a consumer may share a pipeline with `other`: they read the same audio, framed and
  // windowed alike.
  static bool fits(const Consumer<T>& one, const Consumer<T>& other);

  Blocks blocks() const { return consumers_[0]->blocks(); }
  std::span<Consumer<T>* const> consumers() const { return consumers_; }

  // Values that are kept for each signal until it is finished: levels, maxima, and the consumers'
  // own.
  Index stored_per_signal() const { return stored_per_signal_; }

  // Some of the batch's signals, and stored_per_signal() values of memory for each.
  struct Segment {
    Index b, n_signals;
    T* memory;
  };
  void consume(const Segment& segment, Index first_block, Index last_block) const;
  Index finish_tasks(Index n_signals) const;
  void finish(const Segment& segment, Index task) const;
  void end() const;

 private:
  using Consumers = std::span<Consumer<T>* const>;
  // Offsets in a segment's memory, in values per signal.
  struct Place {
    Index own = 0;                 // of the consumer's own storage
    bool filled = false;           // another consumer fills that storage for both
    Index levels = 0, maxima = 0;  // shared by all that tap the same levels
    bool kept = false;             // whether levels are kept
    bool exclusive = true;
  };

  // Of a run of one frame, alone in a signal: values lie side by side.
  Index lanes() const {
    return takes_one_frame_ && consumers_[0]->frames().n_frames == 1 ? 1 : dsp::block_frames;
  }
  void place_values();
  void finish(const Segment& segment, Consumer<T>* const& consumer, Index task) const;
  void consume_block(const Segment& segment, const Block& block, T* const work[2]) const;
  T* kept_block(const Block& block) const;
  void consume_powers(const Segment& segment, const Block& block, const T* powers,
                      Consumers same) const;
  void consume_bands(const Segment& segment, const Block& block, const T* powers,
                     Consumers same) const;
  void consume_levels(const Segment& segment, const Block& block, T* bands, bool in_place,
                      Consumers same) const;
  void give(Consumer<T>* const& consumer, const Segment& segment, const Block& block,
            const T* lanes) const;
  const Place& place(Consumer<T>* const& consumer) const {
    return places_[static_cast<std::size_t>(&consumer - consumers_.data())];
  }
  T* kept_levels(const Segment& segment, const Block& block, Consumer<T>* const& of) const;

  KeptPowers<T> kept_;
  // sorted along the chain, so that equal taps are neighbours
  std::vector<Consumer<T>*> consumers_;
  std::vector<Place> places_;
  Index stored_per_signal_ = 0;
  bool takes_one_frame_;
  std::shared_ptr<const dsp::FrameTransform<T>> transform_;
  std::shared_ptr<const dsp::FrameTransform<double>> wide_transform_;
};

// Runs pipelines to the end. Blocks of different pipelines are work of the same parallel loop.
template <class T>
void run_pipelines(std::span<const Pipeline<T>> pipelines);

// Runs a pipeline that has one consumer.
template <class T>
void run_consumer(Consumer<T>& consumer);

}  // namespace metalmom::ops
