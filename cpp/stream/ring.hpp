// Samples from one thread to another: one writes, one reads, neither ever waits for the other,
// takes a lock, or allocates (L. Lamport, "Proving the correctness of multiprocess programs",
// 1977).
//
// Two counters say how many frames were written and read since the beginning. Each is changed by
// one thread and lies in a cache line of its own, beside what that thread last saw of the other
// counter: so a thread reads the other's line only where its own knowledge does not suffice.
#pragma once

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/index.hpp"

namespace metalmom::stream {

// Where samples are: `channel` and `frame` are steps from one to the next.
template <class T>
struct Placed {
  T* data;
  Index channel, frame;
};

template <class T>
class Ring {
 public:
  Ring(Index frames, Index channels)
      : frames_(frames),
        channels_(channels),
        samples_(static_cast<std::size_t>(frames * channels)) {}
  Ring(const Ring&) = delete;

  Index frames() const { return frames_; }
  Index channels() const { return channels_; }
  // Any thread may ask: frames that wait to be read, and frames that found no room.
  Index waiting() const {
    // read first: what was read since then was also written
    const Index read = reader_.count.load(std::memory_order_acquire);
    return std::min(writer_.count.load(std::memory_order_acquire) - read, frames_);
  }
  Index lost() const { return lost_.load(std::memory_order_relaxed); }

  // For one thread: takes as many frames as there is room for. Returns how many; others are lost.
  Index write(const Placed<const T>& from, Index count) {
    const Index at = writer_.count.load(std::memory_order_relaxed);
    if (at + count > writer_.seen + frames_)
      writer_.seen = reader_.count.load(std::memory_order_acquire);
    const Index taken = std::min(count, writer_.seen + frames_ - at);
    for_each_part(at, taken, [&](Index place, Index done, Index here) {
      for (Index b = 0; b < channels_; ++b) {
        const T* const source = from.data + b * from.channel + done * from.frame;
        T* const to = samples_.data() + b * frames_ + place;
        for (Index i = 0; i < here; ++i) to[i] = source[i * from.frame];
      }
    });
    if (taken < count)
      lost_.store(lost_.load(std::memory_order_relaxed) + count - taken, std::memory_order_relaxed);
    writer_.count.store(at + taken, std::memory_order_release);
    return taken;
  }

  // For one thread, which may be another: gives the oldest frames, as many as there are and at most
  // `count`. Returns how many.
  Index read(const Placed<T>& to, Index count) {
    const Index at = reader_.count.load(std::memory_order_relaxed);
    const Index given = std::min(count, readable(count));
    for_each_part(at, given, [&](Index place, Index done, Index here) {
      for (Index b = 0; b < channels_; ++b) {
        const T* const source = samples_.data() + b * frames_ + place;
        T* const target = to.data + b * to.channel + done * to.frame;
        for (Index i = 0; i < here; ++i) target[i * to.frame] = source[i];
      }
    });
    reader_.count.store(at + given, std::memory_order_release);
    return given;
  }

  // Frames that the reader can have now, where it wants `count`.
  Index readable(Index count) {
    const Index at = reader_.count.load(std::memory_order_relaxed);
    if (reader_.seen - at < count) reader_.seen = writer_.count.load(std::memory_order_acquire);
    return reader_.seen - at;
  }

 private:
  // The frames [at, at + count), which go on at the beginning of the memory after its end.
  template <class F>
  void for_each_part(Index at, Index count, F&& part) {
    for (Index done = 0; done < count;) {
      const Index place = (at + done) % frames_, here = std::min(count - done, frames_ - place);
      part(place, done, here);
      done += here;
    }
  }

  static constexpr std::size_t line = 64;  // of a cache
  struct alignas(line) Side {
    std::atomic<Index> count{0};
    Index seen = 0;  // of the other side
  };

  const Index frames_, channels_;
  std::vector<T> samples_;
  Side writer_, reader_;
  alignas(line) std::atomic<Index> lost_{0};
  static_assert(std::atomic<Index>::is_always_lock_free);
};

}  // namespace metalmom::stream
