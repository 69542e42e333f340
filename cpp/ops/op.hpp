// What an op is: a stateless type with a name, parameters, inputs, outputs, a plan and a way to run
// it. `Operation` says the shape that the dispatcher, the bridge and the tests rely on.
//
//   Params   a field table (base/fields.hpp); ranges are checked by `check`
//   In<T>    arrays it reads: View<const T>, View<const std::complex<T>>, spans and bases
//   Out<T>   arrays it fills; `outputs(plan)` gives their shapes with null data
//   Plan     validated and derived sizes: all that a backend sees besides the arrays
//
// Inputs of one op share their batch; T is float or double.
#pragma once

#include <concepts>
#include <string_view>

#include "base/fields.hpp"
#include "base/view.hpp"

namespace metalmom::ops {

// What a run of a plan costs: for the choice of a backend and for the trace.
struct Cost {
  Index frames = 0;
  double flops = 0;
  double bytes = 0;
};

template <class Op>
concept Operation = requires(const typename Op::Params& params, const typename Op::Plan& plan,
                             const typename Op::template In<float>& in,
                             const typename Op::template Out<float>& out) {
  { Op::name } -> std::convertible_to<std::string_view>;
  { Op::plan(params, in) } -> std::same_as<typename Op::Plan>;
  { Op::template outputs<float>(plan) } -> std::same_as<typename Op::template Out<float>>;
  {Op::run_cpu(plan, in, out)};
  { Op::cost(plan) } -> std::same_as<Cost>;
};

// Rejects NaN and infinity, in librosa's words. One pass; vectorised.
template <class T>
void require_finite(std::span<const T> y);

// While one lives, require_finite of its thread remembers float samples instead of looking at them:
// for a caller that reads them once more anyway, and asks then.
class LooksLater {
 public:
  LooksLater();
  ~LooksLater();
  LooksLater(const LooksLater&) = delete;
  std::span<const float> unchecked() const { return unchecked_; }

 private:
  template <class T>
  friend void require_finite(std::span<const T> y);
  std::span<const float> unchecked_;
};

}  // namespace metalmom::ops
