// What an op is: a stateless type with a name, parameters, inputs, outputs, a plan and a way to run
// it. `Operation` says the shape that the dispatcher, the bridge and the tests rely on.
//
//   Params   a field table (base/fields.hpp); ranges are checked by `check`
//   In<T>    arrays it reads: View<const T>, View<const std::complex<T>>, spans and bases
//   Out<T>   arrays it fills; `outputs(plan)` gives their shapes with null data
//   Plan     validated and derived sizes, from parameters and shapes: all that a backend sees
//            besides the arrays
//
// Inputs of one op share their batch; T is float or double.
#pragma once

#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>

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

// An op that can be a consumer of frames (ops/core/consumer.hpp) and then shares a pipeline with
// others. `reads_frames` says whether a plan is such a case; the other case is a stored
// spectrogram.
template <class Op>
concept FrameOperation =
    Operation<Op> && requires(const typename Op::Plan& plan,
                              const typename Op::template In<float>& in,
                              const typename Op::template Out<float>& out) {
  {Op::template consumer<float>(plan, in, out)};
  { Op::reads_frames(plan) } -> std::convertible_to<bool>;
};

// Rejects NaN and infinity in audio. One pass; vectorised.
template <class T>
void require_finite(std::span<const T> y);
// For audio whose samples were looked at elsewhere.
[[noreturn]] void refuse_infinite();

// The samples that must be finite: the input that the op's fields call audio. Empty if it has none,
// or if the audio is on a device.
template <class T, class In>
std::span<const T> audio_of(const In& in) {
  std::span<const T> samples;
  for_each_field<In>([&](const auto& each) {
    if constexpr (requires { each.finite; })
      if constexpr (std::is_same_v<std::decay_t<decltype(in.*each.member)>, View<const T>>)
        if (each.finite && (in.*each.member).data) samples = (in.*each.member).flat();
  });
  return samples;
}

// Checks further rules for the values of inputs, if the op has any. It may note in the plan what it
// found.
template <class Op, class T>
void check_values(typename Op::Plan& plan, const typename Op::template In<T>& in) {
  if constexpr (requires { Op::check_values(plan, in); }) Op::check_values(plan, in);
}

}  // namespace metalmom::ops
