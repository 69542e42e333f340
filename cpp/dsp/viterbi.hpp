// The most likely path through the states of a hidden Markov model (Viterbi 1967; Rabiner 1989, "A
// tutorial on hidden Markov models").
//
// Only the best values of each step are computed, not the states they came from: the way back finds
// those again for the one state a step that is on the path.
#pragma once

#include <cstdint>
#include <span>

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "dsp/simd/decisions.hpp"

namespace metalmom::dsp {

// Logarithms of transition probabilities, laid out for lanes of target states. Often most
// transitions have the same least weight (banded, cyclic or pruned models); then only the others
// are stored and read. Weights of staying in a state are kept apart, so that a model in which only
// they differ lists nothing.
class Transitions {
 public:
  // `log_transition`: (n_states, n_states), from each row's state to each column's. Transitions
  // below `threshold` (-inf: none) are not taken.
  Transitions(std::span<const double> log_transition, Index n_states, double threshold);

  Index n_states() const { return n_states_; }
  Index stride() const { return blocks_.n_states; }  // n_states, rounded up for lanes
  const simd::TransitionBlocks& blocks() const { return blocks_; }
  // Weights of all transitions into a state; -inf beyond n_states.
  const double* into(Index state) const { return into_.data() + state * stride(); }

 private:
  void pack(double background);

  Index n_states_;
  simd::TransitionBlocks blocks_;
  Buffer<double> into_, weights_, stay_;
  Buffer<Index> first_;
  Buffer<std::int32_t> from_;
};

inline constexpr Index most_states = 65536;  // a state is 16 bits

// The most likely path, given (states, steps) log-likelihoods, at least one of each. Of equally
// good paths the one with the lowest states, compared from its end. `initial`: values of the states
// at the first step, log-likelihood included. Returns the value of the path. The values of all
// steps are kept while that takes little memory; else those of each segment are computed again on
// the way back.
double viterbi_path(const Transitions& transitions, const double* log_prob, Index n_steps,
                    std::span<const double> initial, std::uint16_t* path);

}  // namespace metalmom::dsp
