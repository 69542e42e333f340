#include "dsp/viterbi.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/ceil_div.hpp"
#include "base/pace.hpp"
#include "base/workspace.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::dsp {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

// The values of all steps are kept if they take at most so many bytes.
constexpr Index keep_bytes = Index(64) << 20;

Index segment_length(Index n_steps, Index stride) {
  if (n_steps * stride * Index(sizeof(double)) <= keep_bytes) return n_steps;
  return static_cast<Index>(std::ceil(std::sqrt(static_cast<double>(n_steps))));
}

class Segments {
 public:
  Segments(const Transitions& transitions, const double* log_prob, Index n_steps)
      : transitions_(transitions),
        log_prob_(log_prob),
        n_steps_(n_steps),
        stride_(transitions.stride()),
        length_(segment_length(n_steps, stride_)),
        ends_(count() * stride_),
        values_(length_ * stride_) {}

  Index count() const { return ceil_div(n_steps_, length_); }
  Index first_step(Index segment) const { return segment * length_; }
  Index last_step(Index segment) const { return std::min(n_steps_, first_step(segment) + length_); }
  const double* value(Index segment, Index step) const {
    return values_.data() + (step - first_step(segment)) * stride_;
  }
  // The values of the last step of a segment that was computed before.
  const double* end(Index segment) const { return ends_.data() + segment * stride_; }

  void compute(Index segment, std::span<const double> initial) {
    const Index first = first_step(segment), steps = last_step(segment) - first;
    const Index n = transitions_.n_states();
    const auto& kernels = simd::kernels().decisions();
    kernels.transpose(log_prob_ + first, n_steps_, n, steps, values_.data(), stride_);
    Pace pace;
    for (Index step = 0; step < steps; ++step) {
      double* const row = values_.data() + step * stride_;
      std::fill(row + n, row + stride_, never);
      if (first + step == 0)
        std::copy(initial.begin(), initial.end(), row);
      else
        kernels.advance_states(transitions_.blocks(), step == 0 ? end(segment - 1) : row - stride_,
                               row);
      pace.did(n * n);
    }
    std::copy_n(value(segment, first + steps - 1), stride_, ends_.data() + segment * stride_);
  }

 private:
  const Transitions& transitions_;
  const double* log_prob_;
  Index n_steps_, stride_, length_;
  Lent<double> ends_, values_;
};

}  // namespace

Transitions::Transitions(std::span<const double> log_transition, Index n_states, double threshold)
    : n_states_(n_states) {
  // One vector holds all targets of a small model; larger ones are cut into blocks of four vectors.
  blocks_.width = n_states <= 8 ? 8 : 32;
  blocks_.n_states = (n_states + blocks_.width - 1) / blocks_.width * blocks_.width;
  into_ = Buffer<double>(static_cast<std::size_t>(n_states * stride()));
  simd::kernels().decisions().transpose(log_transition.data(), n_states, n_states, n_states,
                                        into_.data(), stride());
  double least = std::numeric_limits<double>::infinity();
  bool pruned = false;
  Pace pace;
  for (Index to = 0; to < n_states; ++to) {
    pace.did(n_states);
    double* const row = into_.data() + to * stride();
    for (Index from = 0; from < n_states; ++from) {
      if (row[from] < threshold) {
        row[from] = never;
        pruned = true;
      }
      least = std::min(least, row[from]);
    }
    std::fill(row + n_states, row + stride(), never);
  }
  pack(pruned ? never : least);
}

// Lists for each block of target states the states from which some transition into it is not the
// background. Such an entry has the weights to all states of the block.
void Transitions::pack(double background) {
  const Index width = blocks_.width, n_blocks = stride() / width;
  first_ = Buffer<Index>(static_cast<std::size_t>(n_blocks + 1));
  from_ = Buffer<std::int32_t>(static_cast<std::size_t>(n_blocks * n_states_));
  const Buffer<bool> listed(static_cast<std::size_t>(n_states_));
  Index n_entries = 0;
  Pace pace;
  for (Index block = 0; block < n_blocks; ++block) {
    pace.did(2 * width * n_states_);
    first_[static_cast<std::size_t>(block)] = n_entries;
    listed.zero();
    for (Index to = block * width; to < std::min((block + 1) * width, n_states_); ++to)
      for (Index from = 0; from < n_states_; ++from)
        listed.data()[from] |= from != to && into(to)[from] != background;
    for (Index from = 0; from < n_states_; ++from)
      if (listed.data()[from])
        from_[static_cast<std::size_t>(n_entries++)] = static_cast<std::int32_t>(from);
  }
  first_[static_cast<std::size_t>(n_blocks)] = n_entries;
  weights_ = Buffer<double>(static_cast<std::size_t>(n_entries * width));
  for (Index block = 0; block < n_blocks; ++block) {
    pace.did(width * n_states_);
    for (Index e = first_[static_cast<std::size_t>(block)];
         e < first_[static_cast<std::size_t>(block) + 1]; ++e)
      for (Index lane = 0; lane < width; ++lane) {
        const Index to = block * width + lane;
        weights_[static_cast<std::size_t>(e * width + lane)] =
            to < n_states_ ? into(to)[from_[static_cast<std::size_t>(e)]] : never;
      }
  }
  stay_ = Buffer<double>(static_cast<std::size_t>(stride()));
  for (Index state = 0; state < stride(); ++state)
    stay_.data()[state] = state < n_states_ ? into(state)[state] : never;
  blocks_.stay = stay_.data();
  blocks_.first = first_.data();
  blocks_.from = from_.data();
  blocks_.weights = weights_.data();
  blocks_.background = background;
}

double viterbi_path(const Transitions& transitions, const double* log_prob, Index n_steps,
                    std::span<const double> initial, std::uint16_t* path) {
  Segments segments(transitions, log_prob, n_steps);
  for (Index segment = 0; segment < segments.count(); ++segment) segments.compute(segment, initial);
  const double* const last = segments.end(segments.count() - 1);
  Index state = std::max_element(last, last + transitions.n_states()) - last;
  const double value = last[state];
  const auto& kernels = simd::kernels().decisions();
  Pace pace;
  for (Index segment = segments.count() - 1; segment >= 0; --segment) {
    if (segment < segments.count() - 1) segments.compute(segment, initial);
    for (Index step = segments.last_step(segment) - 1; step >= segments.first_step(segment);
         --step) {
      if (step < n_steps - 1)
        state = kernels.first_of_largest_sums(segments.value(segment, step),
                                              transitions.into(state), transitions.stride());
      path[step] = static_cast<std::uint16_t>(state);
      pace.did(transitions.stride());
    }
  }
  return value;
}

}  // namespace metalmom::dsp
