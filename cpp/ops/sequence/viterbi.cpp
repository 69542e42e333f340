#include "ops/sequence/viterbi.hpp"

#include "base/workers.hpp"
#include "dsp/viterbi.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

template <class T>
Viterbi::Plan Viterbi::plan(const Params& params, const In<T>& in) {
  check(params);
  const Index n_states = in.log_prob.rows, n_steps = in.log_prob.cols;
  require(n_states >= 1 && n_states <= dsp::most_states, "prob.shape[-2]", n_states,
          "a number of states from 1 to " + std::to_string(dsp::most_states));
  require(n_steps >= 1, "prob.shape[-1]", n_steps, "at least 1");
  require(std::ssize(in.log_transition) == n_states * n_states, "transition.size",
          std::ssize(in.log_transition), "the number of states squared");
  require(in.initial.batch == in.log_prob.batch && in.initial.cols == n_states, "p_init.shape[-1]",
          in.initial.cols, "the number of states, " + std::to_string(n_states));
  return {params, in.log_prob.batch, n_states, n_steps};
}

template <class T>
void Viterbi::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  const dsp::Transitions transitions(in.log_transition, plan.n_states, plan.params.log_threshold);
  parallel_for(plan.batch, 1, [&](Index first, Index last) {
    for (Index b = first; b < last; ++b)
      *out.value.row(b) = dsp::viterbi_path(
          transitions, in.log_prob.row(b), plan.n_steps,
          {in.initial.row(b), static_cast<std::size_t>(plan.n_states)}, out.states.row(b));
  });
}

Cost Viterbi::cost(const Plan& plan) {
  const auto steps = static_cast<double>(plan.batch * plan.n_steps);
  const auto states = static_cast<double>(plan.n_states);
  return {plan.batch * plan.n_steps, 2 * steps * states * states, 8 * steps * states};
}

METALMOM_INSTANTIATE_OP(Viterbi);

}  // namespace metalmom::ops
