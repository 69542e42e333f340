// An op as a function of keyword arguments: views in, plan, allocate, run without the GIL, arrays
// out. Each family of ops is bound in a file of its own (ops_<family>.cpp), which compile beside each
// other.
#pragma once

#include "bridge/byte_counts.hpp"
#include "bridge/caller.hpp"
#include "bridge/device_array.hpp"
#include "bridge/gil.hpp"
#include "bridge/params.hpp"
#include "dispatch/dispatch.hpp"

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

template <class Op, class T>
py::object call(const py::kwargs& kwargs) {
  trace::Span span(bridge_site<Op>);
  name_after_caller(span);
  const Counters before = counters();
  Arguments arguments(kwargs);
  const auto params = arguments.params<typename Op::Params>();
  const auto inputs = [&] {
    const trace::Span conversion(arguments_site, trace::detail_enabled);
    return read_inputs<typename Op::template In<T>>(arguments);
  }();
  using Out = typename Op::template Out<T>;
  constexpr auto n_out = std::tuple_size_v<decltype(Out::fields())>;
  const py::handle given = n_out == 1 ? arguments.find("out") : py::handle();
  arguments.reject_unknown();

  const auto plan = [&] {
    const GilReleased unlocked;
    auto made = Op::plan(params, inputs.in);
    ops::check_values<Op, T>(made, inputs.in);
    return made;
  }();
  Out out = Op::template outputs<T>(plan);
  const py::list results = [&] {
    const trace::Span allocation(outputs_site, trace::detail_enabled);
    return make_outputs(out, inputs.lead, given);
  }();
  {
    const GilReleased unlocked;
    dispatch::run<Op, T>(plan, inputs.in, out);
  }
  show_warning();
  add_byte_counts(span, before);
  if constexpr (n_out == 1) return results[0];
  return py::tuple(results);
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
    arguments.reject_unknown();
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
    throw DeviceError(std::string(Op::name) + " has no GPU kernel: use .numpy()");
  }
}

// Double if any array of samples or values is wide. What is double whatever T (windows, periods)
// does not decide.
template <class Op>
py::object call_any(const py::kwargs& kwargs) {
  bool wide = false, on_device = false;
  for_each_field<typename Op::template In<float>>([&](const auto& each) {
    using V = typename std::decay_t<decltype(each)>::Value;
    if constexpr (requires { each.core; } && !std::is_same_v<V, View<const double>>) {
      const py::handle array = PyDict_GetItemString(kwargs.ptr(), each.name.data());
      wide = wide || (array && is_wide(array));
      on_device = on_device || is_device_array(array);
    }
  });
  if (on_device) return call_resident<Op>(kwargs);
  return wide ? call<Op, double>(kwargs) : call<Op, float>(kwargs);
}

// Binds every op of a list. `kernel_ops` names those that a GPU can take, in any build.
template <class List>
void bind_list(py::module_& module) {
  py::list kernel_ops = module.attr("kernel_ops");
  List::for_each([&]<class Op>() {
    module.def(Op::name.data(), &call_any<Op>);
    if (gpu::Kernel<Op>::exists) kernel_ops.append(py::str(std::string(Op::name)));
  });
}

}  // namespace metalmom::bridge
