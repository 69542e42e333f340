#include "ops/sequence/warp.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "ops/instantiate.hpp"

namespace metalmom::ops {
namespace {

std::vector<dsp::WarpStep> steps_of(const WarpIn& in) {
  std::vector<dsp::WarpStep> steps;
  for (std::size_t s = 0; s < in.step_rows.size(); ++s)
    steps.push_back({static_cast<Index>(in.step_rows[s]), static_cast<Index>(in.step_cols[s]),
                     in.weights[s], in.penalties[s]});
  return steps;
}

dsp::WarpRule rule_of(const WarpPlan& plan, std::span<const dsp::WarpStep> steps) {
  return {steps, plan.params.subsequence, plan.params.lower, plan.params.upper};
}

dsp::WarpCosts costs_of(const WarpPlan& plan, const WarpIn& in) {
  if (in.cost.data) return {in.cost.data, plan.n_rows, plan.n_cols};
  return {plan.params.metric, dsp::Frames{in.x.data, plan.n_rows, plan.n_features},
          dsp::Frames{in.y.data, plan.n_cols, plan.n_features}};
}

void require_forward(std::span<const double> step_rows, std::span<const double> step_cols) {
  constexpr double longest = 1e6;
  for (std::size_t s = 0; s < step_rows.size(); ++s) {
    const double rows = step_rows[s], cols = step_cols[s];
    // GCC 12 warns falsely that the copies of `std::string("[") + ...` overlap.
    require(rows >= 0 && cols >= 0 && rows + cols >= 1 && rows <= longest && cols <= longest,
            "step_sizes_sigma", std::string("[").append(to_text(rows) + ", " + to_text(cols) + "]"),
            "steps forward: no negative ones, and none of [0, 0]");
  }
}

WarpPlan plan_with_all_totals(const WarpParams& params, const WarpIn& in) {
  const WarpPlan plan = plan_warp(params, in);
  require(in.total.rows == plan.n_rows && in.total.cols == plan.n_cols, "total.size",
          in.total.size(), "the number of costs");
  require(params.end < plan.n_cols, "end", params.end, "a column of the costs");
  return plan;
}

}  // namespace

WarpPlan plan_warp(const WarpParams& params, const WarpIn& in) {
  check(params);
  require(in.cost.data || (in.x.data && in.y.data), "C", "None", "given, or X and Y");
  WarpPlan plan{params, in.cost.rows, in.cost.cols, std::ssize(in.step_rows), 0};
  if (!in.cost.data) {
    plan.n_rows = in.x.rows;
    plan.n_cols = in.y.rows;
    plan.n_features = in.x.cols;
    require(in.y.cols == in.x.cols, "Y.shape[-2]", in.y.cols,
            "the number of features of X, " + std::to_string(in.x.cols));
  }
  require(plan.n_rows >= 1 && plan.n_cols >= 1, "C.size", plan.n_rows * plan.n_cols, "at least 1");
  require(plan.n_steps >= 1, "len(step_sizes_sigma)", plan.n_steps, "at least 1");
  require(in.step_cols.size() == in.step_rows.size(), "step_cols.size", std::ssize(in.step_cols),
          "the number of steps");
  require(in.weights.size() == in.step_rows.size(), "len(weights_mul)", std::ssize(in.weights),
          "len(step_sizes_sigma)=" + std::to_string(plan.n_steps));
  require(in.penalties.size() == in.step_rows.size(), "len(weights_add)", std::ssize(in.penalties),
          "len(step_sizes_sigma)=" + std::to_string(plan.n_steps));
  require_forward(in.step_rows, in.step_cols);
  return plan;
}

Cost cost_of_warp(const WarpPlan& plan) {
  const auto cells = static_cast<double>(plan.n_rows * plan.n_cols);
  const auto each = static_cast<double>(4 * plan.n_steps + 3 * plan.n_features);
  return {plan.n_rows, cells * each, 8 * cells};
}

WarpPlan WarpTotals::plan(const Params& params, const WarpIn& in) {
  WarpPlan plan = plan_warp(params, in);
  const auto steps = steps_of(in);
  const Index above = std::min(params.first_row, rule_of(plan, steps).reach_rows());
  require(above == 0 || (in.total.rows == above && in.total.cols == plan.n_cols), "total.size",
          in.total.size(), "the rows above that the steps reach");
  return plan;
}

void WarpTotals::accumulate(const Plan& plan, const WarpIn& in, View<double> total) {
  const auto steps = steps_of(in);
  dsp::accumulate_costs(costs_of(plan, in), rule_of(plan, steps), plan.params.first_row,
                        in.total.data, total.data);
}

WarpPlan WarpPath::plan(const Params& params, const WarpIn& in) {
  return plan_with_all_totals(params, in);
}

Index WarpPath::follow(const Plan& plan, const WarpIn& in, View<Index> path) {
  const auto steps = steps_of(in);
  return dsp::warp_path(costs_of(plan, in), rule_of(plan, steps), plan.params.first_row,
                        in.total.data, plan.params.end, path.data);
}

WarpPlan WarpSteps::plan(const Params& params, const WarpIn& in) {
  return plan_with_all_totals(params, in);
}

void WarpSteps::find(const Plan& plan, const WarpIn& in, View<std::int32_t> steps) {
  const auto allowed = steps_of(in);
  dsp::warp_steps(costs_of(plan, in), rule_of(plan, allowed), in.total.data, plan.params.first_code,
                  steps.data);
}

template <class T>
WarpWalk::Plan WarpWalk::plan(const Params& params, const In<T>& in) {
  check(params);
  require(params.end < in.steps.cols, "start", params.end, "a column of steps");
  require_forward(in.step_rows, in.step_cols);
  return {params, in.steps.rows, in.steps.cols};
}

template <class T>
void WarpWalk::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  Index n = plan.n_rows - 1, m = plan.params.end, count = 0;
  while (n >= 0 && m >= 0) {
    out.path.data[2 * count] = n;
    out.path.data[2 * count + 1] = m;
    ++count;
    if (n == 0 && (m == 0 || plan.params.subsequence)) break;
    const Index step = in.steps.data[n * plan.n_cols + m];
    require(step >= 0 && step < std::ssize(in.step_rows), "steps", step,
            "the number of a step, below " + std::to_string(in.step_rows.size()));
    n -= static_cast<Index>(in.step_rows[static_cast<std::size_t>(step)]);
    m -= static_cast<Index>(in.step_cols[static_cast<std::size_t>(step)]);
  }
  *out.length.data = count;
}

Cost WarpWalk::cost(const Plan& plan) {
  const auto cells = static_cast<double>(plan.n_rows + plan.n_cols);
  return {plan.n_rows, 4 * cells, 20 * cells};
}

METALMOM_INSTANTIATE_OP(WarpWalk);
static_assert(Operation<WarpTotals> && Operation<WarpPath> && Operation<WarpSteps>);

}  // namespace metalmom::ops
