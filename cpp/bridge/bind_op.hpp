// An op as a function of keyword arguments: views in, plan, allocate, run without the GIL, arrays
// out. Each family of ops is bound in a file of its own (ops_<family>.cpp), which compile beside each
// other.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "bridge/byte_counts.hpp"
#include "bridge/caller.hpp"
#include "bridge/device_array.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "graph/call.hpp"

namespace metalmom::bridge {

// What the engine wants said aloud; under warnings-as-errors the call ends with it.
void show_warning();

// float64 and complex128 run in double, everything else in float.
bool is_wide(const py::handle& object);

template <class Op>
inline constexpr trace::Site bridge_site{Op::name.data(), trace::Category::bridge};

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

// A call with its arguments read, planned, and its result arrays made: what remains is to run it.
class BoundCall {
 public:
  virtual ~BoundCall() = default;
  virtual const graph::Call& call() const = 0;
  virtual py::object result() const = 0;
};

template <class Op, class T>
class BoundOp final : public BoundCall {
 public:
  using Out = typename Op::template Out<T>;

  explicit BoundOp(const py::kwargs& kwargs) {
    Arguments arguments(kwargs);
    const auto params = arguments.params<typename Op::Params>();
    {
      const trace::Span conversion(arguments_site, trace::detail_enabled);
      inputs_ = read_inputs<typename Op::template In<T>>(arguments);
    }
    const py::handle given = n_out == 1 ? arguments.find("out") : py::handle();
    arguments.reject_unknown(Op::name);
    {
      const GilReleased unlocked;
      plan_ = Op::plan(params, inputs_.in);
      ops::check_values<Op, T>(plan_, inputs_.in);
    }
    out_ = Op::template outputs<T>(plan_);
    const trace::Span allocation(outputs_site, trace::detail_enabled);
    results_ = make_outputs(out_, inputs_.lead, given);
  }
  BoundOp(const BoundOp&) = delete;

  const graph::OpCall<Op, T>& call() const override { return call_; }
  py::object result() const override {
    if constexpr (n_out == 1) return results_[0];
    return py::tuple(results_);
  }

 private:
  static constexpr auto n_out = std::tuple_size_v<decltype(Out::fields())>;

  Inputs<typename Op::template In<T>> inputs_;
  typename Op::Plan plan_;
  Out out_;
  py::list results_;
  graph::OpCall<Op, T> call_{plan_, inputs_.in, out_};
};

template <class Op, class T>
py::object call(const py::kwargs& kwargs) {
  trace::Span span(bridge_site<Op>);
  name_after_caller(span);
  const Counters before = counters();
  const BoundOp<Op, T> bound(kwargs);
  {
    const GilReleased unlocked;
    bound.call().run();
  }
  show_warning();
  add_byte_counts(span, before);
  return bound.result();
}

// The same on device arrays: plan, allocate on the device, submit.
template <class Op>
py::object call_resident(const py::kwargs& kwargs) {
  if constexpr (dispatch::has_kernel<Op>) {
    trace::Span span(bridge_site<Op>);
    name_after_caller(span);
    Arguments arguments(kwargs);
    const auto params = arguments.params<typename Op::Params>();
    const auto inputs = read_device_inputs<typename Op::template In<float>>(arguments);
    using Out = typename Op::template Out<float>;
    arguments.reject_unknown(Op::name);
    const auto plan = Op::plan(params, inputs.in);
    const Out out = Op::template outputs<float>(plan);
    py::list results;
    std::vector<gpu::DeviceData> outputs;
    for_each_field<Out>([&](const auto& each) {
      results.append(
          py::cast(allocate_on_device(out.*each.member, each.core, inputs.lead, inputs.data[0])));
      outputs.push_back(results[results.size() - 1].template cast<const DeviceArray&>().data);
    });
    {
      const GilReleased unlocked;
      dispatch::run_resident<Op>(plan, inputs.in, out, inputs.data, outputs);
    }
    if constexpr (std::tuple_size_v<decltype(Out::fields())> == 1) return results[0];
    return py::tuple(results);
  } else {
    // As NumPy refuses a type; the public function tells of its argument (metalmom._boundary).
    throw py::type_error(std::string(Op::name) + " takes no DeviceArray");
  }
}

enum class Precision : std::uint8_t { single, wide, on_device };

// Double if any array of samples or values is wide. What is double whatever T (windows, periods)
// does not decide.
template <class Op>
Precision precision_of(const py::kwargs& kwargs) {
  auto precision = Precision::single;
  for_each_field<typename Op::template In<float>>([&](const auto& each) {
    using V = typename std::decay_t<decltype(each)>::Value;
    if constexpr (requires { each.core; } && !std::is_same_v<V, View<const double>>) {
      const py::handle array = PyDict_GetItemString(kwargs.ptr(), each.name.data());
      if (is_device_array(array))
        precision = Precision::on_device;
      else if (array && precision == Precision::single && is_wide(array))
        precision = Precision::wide;
    }
  });
  return precision;
}

template <class Op>
py::object call_any(const py::kwargs& kwargs) {
  switch (precision_of<Op>(kwargs)) {
    case Precision::on_device:
      return call_resident<Op>(kwargs);
    case Precision::wide:
      return call<Op, double>(kwargs);
    default:
      return call<Op, float>(kwargs);
  }
}

// The same, but to be run together with others; null for arrays on a device.
template <class Op>
std::unique_ptr<BoundCall> bind_call(const py::kwargs& kwargs) {
  switch (precision_of<Op>(kwargs)) {
    case Precision::on_device:
      return nullptr;
    case Precision::wide:
      return std::make_unique<BoundOp<Op, double>>(kwargs);
    default:
      return std::make_unique<BoundOp<Op, float>>(kwargs);
  }
}

// How the ops that were bound are called, by name.
struct Caller {
  py::object (*call)(const py::kwargs&);
  std::unique_ptr<BoundCall> (*bind)(const py::kwargs&);
};
std::map<std::string_view, Caller>& callers();

// Binds every op of a list. `kernel_ops` names those that a GPU can take, in any build.
template <class List>
void bind_list(py::module_& module) {
  py::list kernel_ops = module.attr("kernel_ops");
  List::for_each([&]<class Op>() {
    module.def(Op::name.data(), &call_any<Op>);
    callers()[Op::name] = {&call_any<Op>, &bind_call<Op>};
    if (gpu::Kernel<Op>::exists) kernel_ops.append(py::str(std::string(Op::name)));
  });
}

}  // namespace metalmom::bridge
