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

// The result arrays, as the plan shapes them; `given` replaces the allocation of a single result.
template <class Out>
py::list make_outputs(Out& out, const Shape& lead, const py::handle& given) {
  py::list results;
  for_each_field<Out>([&](const auto& each) {
    auto& view = out.*each.member;
    if (given && !given.is_none())
      results.append(use_given(view, given, "out"));
    else
      results.append(allocate_for(view, each.core, lead));
  });
  return results;
}

// Arguments as an op wants them.
template <class Op, class T>
struct ReadCall {
  using In = typename Op::template In<T>;
  static constexpr auto n_out = n_fields<typename Op::template Out<T>>;

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
    if (n_out == 1)
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
  virtual ~BoundCall() = default;
  virtual const graph::Call& call() const = 0;
  virtual py::object result() const = 0;
  // The array of its samples; null for an op that reads no audio.
  virtual py::object audio() const = 0;
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
      : inputs_(std::move(inputs)), plan_(std::move(plan)) {
    if constexpr (requires { Op::check_values(plan_, inputs_.in); }) {
      const GilReleased unlocked;
      Op::check_values(plan_, inputs_.in);
    }
    out_ = Op::template outputs<T>(plan_);
    const trace::Span allocation(outputs_site, trace::detail_enabled);
    results_ = make_outputs(out_, inputs_.lead, given);
  }
  BoundOp(const BoundOp&) = delete;

  const graph::OpCall<Op, T>& call() const override { return call_; }
  py::object result() const override {
    if constexpr (Read::n_out == 1) return results_[0];
    return py::tuple(results_);
  }
  py::object audio() const override {
    if constexpr (has_audio<typename Read::In>()) return inputs_.keep[inputs_.audio];
    return {};
  }

 private:
  Inputs<typename Read::In> inputs_;
  typename Op::Plan plan_;
  Out out_;
  py::list results_;
  graph::OpCall<Op, T> call_{plan_, inputs_.in, out_};
};

}  // namespace metalmom::bridge
