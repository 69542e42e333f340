// A feature of frames is a consumer: it says which value of a block of frames it reads, and whoever
// has frames feeds it. Values form a chain,
//
//   samples -> spectrum -> power of an exponent -> bands of a basis -> levels in decibels
//
// and each is computed once a block for all consumers that read it (ops/core/pipeline.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "dsp/bands.hpp"
#include "dsp/decibel.hpp"
#include "ops/core/blocks.hpp"
#include "ops/core/frame_params.hpp"

namespace metalmom::ops {

// The value that a consumer reads.
struct Tap {
  enum class Value { samples, powers, bands, levels };
  Value value = Value::powers;
  bool wide = false;  // transform in double whatever the audio is, where near-empty bins decide
  float power = 2;
  const dsp::Basis* basis = nullptr;  // for bands and levels
  double amin = 0;                    // for levels: smaller powers count as this
  double floor = dsp::no_floor;       // lower levels are raised to this
};

// What the time of a pipeline goes to: the transform, each value of the chain, and what consumers
// do themselves.
enum class Spending : std::size_t { frames, powers, bands, levels, own };
inline constexpr std::size_t n_spendings = 5;

// What a consumer gets when all blocks of some signals have been consumed.
template <class T>
struct Finished {
  Index b = 0, n_signals = 0;  // signals [b, b + n_signals) of the batch
  T* storage = nullptr;        // its own memory, storage_per_signal() values for each of them
  // For a tap of levels: the levels of each block in lane layout, n_bands * 16 values (if the
  // consumer keeps them), and the maximum of each block. `exclusive`: no other consumer reads these
  // levels.
  T* levels = nullptr;
  const T* maxima = nullptr;
  Index blocks_per_signal = 0, n_bands = 0;
  bool exclusive = true;
  Index lanes = dsp::block_frames;  // as in Block

  T* level_block(Index i) const { return levels + i * n_bands * dsp::block_frames; }
  // The largest level of signal b + `signal`; NaN if one of its levels is.
  T maximum(Index signal) const;
};

template <class T>
class Consumer {
 public:
  Consumer(const char* name, const FramePlan& frames, const View<const T>& y,
           std::span<const double> window, const Tap& tap)
      : name_(name), frames_(frames), y_(y), window_(window), tap_(tap) {}
  virtual ~Consumer() = default;
  Consumer(const Consumer&) = delete;

  // As a node of a graph a consumer has the node's name in a trace. The text has static storage.
  void be_node(const char* name) { node_ = name; }
  // From now on its work is timed by a clock, of any unit. Of a value that several consumers read,
  // one of them has the time.
  void be_timed(std::int64_t (*by)()) { clock_ = by; }
  auto clock() const { return clock_; }
  // Any worker may call this.
  void spend(Spending on, std::int64_t ticks) {
    spent_[static_cast<std::size_t>(on)].fetch_add(ticks, std::memory_order_relaxed);
  }
  // Ticks of all workers together.
  std::array<std::int64_t, n_spendings> spent() const {
    std::array<std::int64_t, n_spendings> all;
    for (std::size_t on = 0; on < n_spendings; ++on)
      all[on] = spent_[on].load(std::memory_order_relaxed);
    return all;
  }
  // The name of its spans. Null for a single call that is no node: its stages need no span around
  // them.
  const char* span_name(bool alone) const { return node_ ? node_ : alone ? nullptr : name_; }
  const FramePlan& frames() const { return frames_; }
  const View<const T>& y() const { return y_; }
  std::span<const double> window() const { return window_; }
  const Tap& tap() const { return tap_; }
  Blocks blocks() const { return {frames_.batch, frames_.n_frames}; }

  // Takes the tapped value of a block in lane layout (dsp/frame_transform.hpp): n_bins or n_bands
  // rows of block.lanes values; null for samples, which a consumer reads from y(). Called for
  // blocks in any order, by any worker. `storage`: the memory of the signals in work; the block's
  // is number `signal` of them.
  virtual void consume(const Block& block, const T* lanes, Index signal, T* storage) = 0;

  // Whether a frame that comes alone may come with one value a row; else rows of 16 are made of it.
  virtual bool takes_one_frame() const { return false; }

  // Of a tap of bands: takes them straight from the powers, where nobody else wants these bands.
  // False: make the bands and consume those.
  virtual bool weigh(const Block&, const T*) { return false; }

  // How many values it keeps of each signal until the signal is finished; whether it needs the
  // levels of all blocks then (keeps_levels).
  virtual Index storage_per_signal() const { return 0; }
  // Whether `other`, which has an equal tap, keeps the same values. Then `consume` is called for
  // one of the two only.
  virtual bool shares_storage(const Consumer& other) const {
    (void)other;
    return false;
  }
  virtual bool keeps_levels() const { return false; }

  // When all blocks of some signals are consumed, `finish` is called for so many independent tasks,
  // in parallel.
  virtual Index finish_tasks(Index /*n_signals*/) const { return 0; }
  virtual void finish(const Finished<T>&, Index task) { (void)task; }
  // Called when all signals are finished.
  virtual void end() {}

 private:
  const char* name_;
  const char* node_ = nullptr;
  std::int64_t (*clock_)() = nullptr;
  std::array<std::atomic<std::int64_t>, n_spendings> spent_{};
  const FramePlan& frames_;
  const View<const T> y_;
  const std::span<const double> window_;
  const Tap tap_;
};

}  // namespace metalmom::ops
