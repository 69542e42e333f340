// Who may call a stream now, and whether it is whole: what all parts of one stream share.
//
// What changes a stream lies between `change` and `done`, after a block `done_block`, after a reset
// `done_anew`. An exception in between leaves the stream stopped: then it refuses all but `reset`,
// which begins another signal.
#pragma once

#include <pthread.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/probes.hpp"
#include "base/stage.hpp"
#include "stream/meter.hpp"

namespace metalmom::stream {

class Turns {
 public:
  // `name`: of the stream, in errors.
  explicit Turns(std::string name = "this stream") : name_(std::move(name)) {}
  Turns(const Turns&) = delete;
  void rename(std::string name) { name_ = std::move(name); }

  // What is asked before something changes.
  void require_whole() const {
    if (stopped_)
      throw ParameterError(name_ +
                           " was stopped in the middle of a call: reset() begins another signal");
  }
  void require_open(bool ended) const {
    require_whole();
    if (ended) throw ParameterError("the signal has ended: reset() begins another one");
  }
  void change() { stopped_ = changed_ = true; }
  void done() { stopped_ = false; }
  // The first block of a turn is that of the signal, others are what its parts made of it. Nobody
  // waits for what comes after the last one.
  void done_block(Index samples, bool last) {
    if (last)
      samples_ = uncounted;
    else if (samples_ == 0)
      samples_ = samples;
    done();
  }
  void done_anew() {
    samples_ = uncounted;
    meter_.restart();
    done();
  }

  Meter& meter() { return meter_; }

  // The turn of this thread for one call of the engine, which may be within a turn of several.
  // Throws where another thread has the turn.
  class Turn {
   public:
    explicit Turn(Turns& turns) : turns_(turns), is_outermost_(turns.enter()) {
      if (std::exchange(turns_.in_engine_, true))
        throw std::runtime_error("this stream is in a call: a signal handler must not call it");
    }
    ~Turn() {
      turns_.in_engine_ = false;
      if (is_outermost_) turns_.leave();
    }
    Turn(const Turn&) = delete;

   private:
    Turns& turns_;
    const bool is_outermost_;
  };
  Turn take() { return Turn(*this); }

  // A turn of several calls, for a caller that may be stopped between any two of them, or before it
  // knows that the turn has begun. So `token`, which the caller has from the start, says whose turn
  // it is: those within it begin and end nothing.
  void begin(const void* token) {
    if (enter()) token_ = token;
  }
  void end(const void* token) {
    if (!is_mine() || token_ != token) return;
    token_ = nullptr;
    leave();
  }
  // What this thread's last turn gave is lost, so that a stream which it changed is stopped. Ends
  // that turn if it is the token's.
  void lose(const void* token) {
    const bool within = is_mine();
    if (!within && !try_to_take()) return;  // another thread's turn has come
    if (changed_ && last_ == pthread_self()) stopped_ = true;
    samples_ = uncounted;
    if (within)
      end(token);
    else
      leave();
  }

 private:
  bool is_mine() const { return owner_.load(std::memory_order_relaxed) == pthread_self(); }
  bool try_to_take() {
    pthread_t nobody{};
    return owner_.compare_exchange_strong(nobody, pthread_self(), std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  // Whether this begins a turn: it does not within one.
  bool enter() {
    if (is_mine()) return false;
    const std::int64_t now = ticks();  // here, since it would wait for the exchange below
    if (!try_to_take())
      throw std::runtime_error("this stream is at work in another thread: give each its own");
    last_ = pthread_self();
    changed_ = false;
    samples_ = 0;
    began_ = now;
    return true;
  }
  void leave() {
    if (samples_ > 0) count_block();
    owner_.store({}, std::memory_order_release);
  }
  void count_block() {
    const std::int64_t now = ticks();
    const auto [ns, is_late] = meter_.count(now - began_, samples_);
    probes::block(name_.c_str(), ns, is_late ? meter_.late() : 0);
    if (const auto hook = block_hook.load(std::memory_order_relaxed)) [[unlikely]]
      tell(hook, now, is_late);
  }
  [[gnu::noinline]] void tell(decltype(block_hook)::value_type hook, std::int64_t now,
                              bool is_late) const {
    hook({name_.c_str(), began_, now, samples_, is_late ? meter_.late() : 0});
  }

  std::string name_;
  std::atomic<pthread_t> owner_{};  // the thread whose turn it is
  // The rest is that thread's.
  pthread_t last_{};             // the thread of this turn, or the last one
  const void* token_ = nullptr;  // of a turn of several calls
  bool in_engine_ = false;
  bool changed_ = false;  // whether this turn, or the last one, changed the stream
  bool stopped_ = false;
  std::int64_t began_ = 0;  // this turn
  // Of the block that this turn has taken, 0 for none; one without a deadline is not counted.
  static constexpr Index uncounted = -1;
  Index samples_ = 0;
  Meter meter_;
};

using SharedTurns = std::shared_ptr<Turns>;

}  // namespace metalmom::stream
