// What the bindings of streams share.
#pragma once

#include <atomic>
#include <stdexcept>

#include "bridge/arrays.hpp"

namespace metalmom::bridge {

// Refuses calls of one stream from two threads at a time.
class Turns {
 public:
  class Turn {
   public:
    explicit Turn(std::atomic_flag& busy) : busy_(busy) {
      if (busy_.test_and_set(std::memory_order_acquire))
        throw std::runtime_error("this stream is at work in another thread: give each its own");
    }
    ~Turn() { busy_.clear(std::memory_order_release); }
    Turn(const Turn&) = delete;

   private:
    std::atomic_flag& busy_;
  };

  Turn take() { return Turn(busy_); }

 private:
  std::atomic_flag busy_;
};

}  // namespace metalmom::bridge
