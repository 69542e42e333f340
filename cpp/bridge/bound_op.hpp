// A call of an op with its arguments read: planned, its result arrays made, ready to run.
#pragma once

#include <memory>
#include <utility>

#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "graph/call.hpp"

namespace metalmom::bridge {

inline constexpr trace::Site arguments_site{"arguments", trace::Category::bridge};
inline constexpr trace::Site outputs_site{"outputs", trace::Category::bridge};

// Makes the array of a result whose shape `view` has, or takes the one that the caller gave.
template <class T>
[[gnu::noinline]] void add_result(View<T>& view, int core, const Shape& lead, const py::handle& given,
                                  py::list& results) {
  if (given && !given.is_none())
    results.append(use_given(view, given, "out"));
  else
    results.append(allocate_for(view, core, lead));
}

// The result arrays, as the plan shapes them; `given` replaces the allocation of a single result.
template <class Out>
py::list make_outputs(Out& out, const Shape& lead, const py::handle& given) {
  py::list results;
  for_each_field<Out>(
      [&](const auto& each) { add_result(out.*each.member, each.core, lead, given, results); });
  return results;
}

// Arguments as an op wants them.
template <class Op, class T>
struct ReadCall {
  using In = typename Op::template In<T>;

  typename Op::Params params;
  Inputs<In> inputs;
  py::object given;  // where the result is to go, if the caller said so

  explicit ReadCall(const py::kwargs& kwargs, Session* session = nullptr) {
    Arguments arguments(kwargs);
    params = arguments.params<typename Op::Params>();
    {
      const trace::Span conversion(arguments_site, trace::detail_enabled);
      inputs = read_inputs<In>(arguments, session);
    }
    if (n_fields<typename Op::template Out<T>> == 1)
      if (const py::handle out = arguments.find("out"))
        given = py::reinterpret_borrow<py::object>(out);
    arguments.reject_unknown(Op::name);
  }

  typename Op::Plan plan() const {
    const GilReleased unlocked;
    return Op::plan(params, inputs.in);
  }
};

template <class Each>
constexpr bool is_audio(const Each& each) {
  if constexpr (requires { each.finite; }) return each.finite;
  return false;
}

template <class In>
constexpr bool has_audio() {
  return In::fields()([](const auto&... each) { return (is_audio(each) || ...); });
}

// A call that is ready: what remains is to run it.
class BoundCall {
 public:
  virtual ~BoundCall();
  virtual const graph::Call& call() const = 0;
  py::object result() const;
  // The array of its audio, for an op that reads audio.
  py::object audio() const { return arrays_.keep[arrays_.audio]; }

 protected:
  explicit BoundCall(KeptArrays arrays);
  const Shape& lead() const { return arrays_.lead; }

  py::list results_;

 private:
  KeptArrays arrays_;
};

template <class Op, class T>
class BoundOp final : public BoundCall {
 public:
  using Out = typename Op::template Out<T>;
  using Read = ReadCall<Op, T>;

  explicit BoundOp(const py::kwargs& kwargs, Session* session = nullptr)
      : BoundOp(Read(kwargs, session)) {}
  // Braces, which evaluate in order: planned before the inputs are moved away.
  explicit BoundOp(Read read) : BoundOp{read.plan(), std::move(read.inputs), read.given} {}
  BoundOp(typename Op::Plan plan, Inputs<typename Read::In> inputs, const py::handle& given)
      : BoundCall(std::move(inputs.arrays)), in_(std::move(inputs.in)), plan_(std::move(plan)) {
    if constexpr (requires { Op::check_values(plan_, in_); }) {
      const GilReleased unlocked;
      Op::check_values(plan_, in_);
    }
    out_ = Op::template outputs<T>(plan_);
    const trace::Span allocation(outputs_site, trace::detail_enabled);
    results_ = make_outputs(out_, lead(), given);
  }
  BoundOp(const BoundOp&) = delete;

  const graph::OpCall<Op, T>& call() const override { return call_; }

 private:
  typename Read::In in_;
  typename Op::Plan plan_;
  Out out_;
  graph::OpCall<Op, T> call_{plan_, in_, out_};
};

}  // namespace metalmom::bridge
