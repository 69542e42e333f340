// In which order the recorded steps of a piece go to the device. Steps that use different memory,
// or only read it, run side by side; a barrier makes all steps after it wait for all before it. So
// every step gets the lowest phase that comes after the phases of all earlier steps it collides
// with, and there is one barrier between two phases, however many chains of steps run through them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/slice.hpp"

namespace metalmom::gpu {

class Schedule {
 public:
  void clear() {
    uses_.clear();
    steps_.clear();
    n_phases_ = 0;
    apart_from_ = 0;
  }

  // The steps from here on share no memory that is written with those so far.
  void begin_apart() { apart_from_ = steps_.size(); }

  // The next step, which uses memory so.
  void add(std::span<const Binding> uses) {
    std::uint32_t phase = 0;
    for (std::size_t i = steps_.size(); i > apart_from_ && phase < n_phases_; --i)
      if (const Step& step = steps_[i - 1]; step.phase >= phase && collides(uses, uses_of(step)))
        phase = step.phase + 1;
    steps_.push_back({phase, uses_.size(), uses.size()});
    uses_.insert(uses_.end(), uses.begin(), uses.end());
    n_phases_ = std::max(n_phases_, phase + 1);
  }

  std::size_t size() const { return steps_.size(); }
  std::uint32_t n_phases() const { return n_phases_; }
  std::uint32_t phase(std::size_t step) const { return steps_[step].phase; }

 private:
  struct Step {
    std::uint32_t phase;
    std::size_t first_use, n_uses;
  };

  std::span<const Binding> uses_of(const Step& step) const {
    return std::span(uses_).subspan(step.first_use, step.n_uses);
  }

  static bool overlap(const Slice& a, const Slice& b) {
    return a.buffer == b.buffer && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
  }

  static bool collides(std::span<const Binding> now, std::span<const Binding> before) {
    return std::ranges::any_of(now, [&](const Binding& a) {
      return std::ranges::any_of(before, [&](const Binding& b) {
        return (a.access != Access::read || b.access != Access::read) && overlap(a.slice, b.slice);
      });
    });
  }

  std::vector<Binding> uses_;
  std::vector<Step> steps_;
  std::size_t apart_from_ = 0;  // the first step that the next one may collide with
  std::uint32_t n_phases_ = 0;
};

}  // namespace metalmom::gpu
