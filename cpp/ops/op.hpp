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

#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
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

// The type of a result's values.
enum class Element : std::uint8_t {
  boolean,
  uint16,
  int32,
  int64,
  float32,
  float64,
  complex64,
  complex128
};

template <class V>
constexpr Element element_of() {
  if constexpr (std::is_same_v<V, bool>)
    return Element::boolean;
  else if constexpr (std::is_same_v<V, std::uint16_t>)
    return Element::uint16;
  else if constexpr (std::is_same_v<V, std::int32_t>)
    return Element::int32;
  else if constexpr (std::is_same_v<V, std::int64_t>)
    return Element::int64;
  else if constexpr (std::is_same_v<V, float>)
    return Element::float32;
  else if constexpr (std::is_same_v<V, double>)
    return Element::float64;
  else if constexpr (std::is_same_v<V, std::complex<float>>)
    return Element::complex64;
  else {
    static_assert(std::is_same_v<V, std::complex<double>>);
    return Element::complex128;
  }
}

// A result of a planned call, as whoever makes its memory must know it: its shape is that of a
// View, of whose axes one item has the last `core`, and with `frames_first` users see these two
// exchanged.
struct Result {
  Element element;
  std::size_t item_bytes;
  int core;
  bool frames_first;
  Index batch, rows, cols;

  std::size_t bytes() const { return static_cast<std::size_t>(batch * rows * cols) * item_bytes; }
};

template <class V>
Result result_of(const View<V>& view, int core, bool frames_first = false) {
  return {element_of<V>(), sizeof(V), core, frames_first, view.batch, view.rows, view.cols};
}

// Makes the memory of a result.
using ResultMemory = std::function<void*(const Result&)>;

// Points the results of an op at memory.
template <class Out>
void make_results(Out& out, const ResultMemory& memory) {
  for_each_field<Out>([&](const auto& each) {
    auto& view = out.*each.member;
    view.data =
        static_cast<decltype(view.data)>(memory(result_of(view, each.core, each.frames_first)));
  });
}

// An op that can be a consumer of frames (ops/core/consumer.hpp) and then shares a pipeline with
// others. `reads_frames` says whether a plan is such a case; the other case is a stored
// spectrogram.
template <class Op>
concept FrameOperation = Operation<Op> &&
    requires(const typename Op::Plan& plan, const typename Op::template In<float>& in,
             const typename Op::template Out<float>& out) {
  {Op::template consumer<float>(plan, in, out)};
  { Op::reads_frames(plan) } -> std::convertible_to<bool>;
};

// Whether audio has neither NaN nor infinity: one pass, on several threads if it is long.
template <class T>
bool all_finite(std::span<const T> y);
template <class T>
void require_finite(std::span<const T> y);
// For audio whose samples were looked at elsewhere.
[[noreturn]] void refuse_infinite();

// Whether an op's fields call one of its inputs audio.
template <class In>
inline constexpr bool reads_audio = In::fields()([](const auto&... each) {
  const auto is_audio = [](const auto& field) {
    if constexpr (requires { field.finite; }) return field.finite;
    return false;
  };
  return (is_audio(each) || ...);
});

// The audio among the inputs; null if there is none.
template <class T, class In>
auto* audio_view(In& in) {
  using Audio = std::conditional_t<std::is_const_v<In>, const View<const T>, View<const T>>;
  Audio* found = nullptr;
  for_each_field<std::remove_const_t<In>>([&](const auto& each) {
    if constexpr (requires { each.finite; } &&
                  std::is_convertible_v<decltype(&(in.*each.member)), Audio*>)
      if (each.finite) found = &(in.*each.member);
  });
  return found;
}

// The samples that must be finite: those of the audio. Empty if there is none, or if it is on a
// device.
template <class T, class In>
std::span<const T> audio_of(const In& in) {
  const auto* const y = audio_view<T>(in);
  return y && y->data ? y->flat() : std::span<const T>();
}

// Checks further rules for the values of inputs, if the op has any. It may note in the plan what it
// found.
template <class Op, class T>
void check_values(typename Op::Plan& plan, const typename Op::template In<T>& in) {
  if constexpr (requires { Op::check_values(plan, in); }) Op::check_values(plan, in);
}

}  // namespace metalmom::ops
