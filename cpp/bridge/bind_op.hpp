// An op as a function of keyword arguments: views in, plan, allocate, run without the GIL, arrays
// out. Each family of ops is bound in a file of its own (ops_<family>.cpp), which compile beside
// each other.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "bridge/bound_op.hpp"
#include "bridge/byte_counts.hpp"
#include "bridge/device_array.hpp"
#include "bridge/gil.hpp"
#include "bridge/public_call.hpp"

namespace metalmom::bridge {

// Shows a warning that the engine has left (a GPU that failed). Where Python makes warnings errors,
// this throws.
void show_warning();

// float64 and complex128 run in double, everything else in float.
bool is_wide(const py::handle& object);

template <class Op>
inline constexpr trace::Site bridge_site{Op::name.data(), trace::Category::bridge};

// The span of a call, from the reading of its arguments on.
class CallSpan {
 public:
  explicit CallSpan(const trace::Site& site);
  py::object run(const BoundCall& bound);

 private:
  trace::Span span_;
  const Counters before_;
};

template <class Op, class T>
py::object call(const py::kwargs& kwargs) {
  CallSpan span(bridge_site<Op>);
  return span.run(BoundOp<Op, T>(kwargs));
}

// Results on the host as DeviceArrays beside those of the call.
py::object brought_to_device(const py::object& results, const py::kwargs& beside);
// The arguments with NumPy's arrays for DeviceArrays.
py::kwargs brought_to_host(const py::kwargs& kwargs);

// The same on device arrays: results are allocated on the device and the work is submitted. Arrays
// without values are the CPU's.
template <class Op>
py::object call_resident(const py::kwargs& kwargs) {
  if constexpr (dispatch::has_kernel<Op>) {
    trace::Span span(bridge_site<Op>);
    name_after_public_call(span);
    Arguments arguments(kwargs);
    const auto params = arguments.params<typename Op::Params>();
    const auto inputs = read_device_inputs<typename Op::template In<float>>(arguments);
    using Out = typename Op::template Out<float>;
    arguments.reject_unknown(Op::name);
    if (!inputs.arrays.has_values) {
      const py::object results = call<Op, float>(brought_to_host(kwargs));
      return gpu::AnswersForBatch<Op> ? results : brought_to_device(results, kwargs);
    }
    const auto plan = Op::plan(params, inputs.in);
    Out out = Op::template outputs<float>(plan);
    py::list results;
    std::vector<DeviceArray> arrays;
    if constexpr (gpu::AnswersForBatch<Op>)  // a few numbers on the host, which waits for them
      results = make_outputs(out, inputs.arrays.lead, py::handle());
    {
      const GilReleased unlocked;  // memory may have to be waited for, too
      std::vector<gpu::DeviceData> outputs;
      if constexpr (!gpu::AnswersForBatch<Op>)
        for_each_field<Out>([&](const auto& each) {
          arrays.push_back(
              allocate_on_device(out.*each.member, each.core, inputs.arrays.lead, inputs.arrays.data[0]));
          outputs.push_back(arrays.back().data);
        });
      dispatch::run_resident<Op>(plan, inputs.in, out, inputs.arrays.data, outputs);
    }
    for (DeviceArray& each : arrays) results.append(py::cast(std::move(each)));
    if constexpr (n_fields<Out> == 1) return results[0];
    return py::tuple(results);
  } else {
    throw DeviceRefusal(Declined::array, "",
                        {.name = std::string(Op::name) + " takes no DeviceArray"});
  }
}

enum class Precision : std::uint8_t { single, wide, on_device };

// Double if any array of samples or spectra is float64 or complex128. Arrays that are double in
// either case (windows, periods) do not decide.
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

// Reads the arguments of a call that is to run together with others; null for arrays on a device.
template <class Op>
std::unique_ptr<BoundCall> bind_call(const py::kwargs& kwargs, Session& session) {
  switch (precision_of<Op>(kwargs)) {
    case Precision::on_device:
      return nullptr;
    case Precision::wide:
      return std::make_unique<BoundOp<Op, double>>(kwargs, &session);
    default:
      return std::make_unique<BoundOp<Op, float>>(kwargs, &session);
  }
}

// A call of which only the audio is open: any of the type and the batch that it was prepared with,
// however long.
class PreparedCall {
 public:
  virtual ~PreparedCall() = default;
  virtual std::unique_ptr<BoundCall> bind(const py::array& audio) const = 0;
  virtual py::object call(const py::array& audio) const = 0;
};

template <class Op, class T>
class PreparedOp final : public PreparedCall {
 public:
  explicit PreparedOp(const py::kwargs& kwargs) : read_(kwargs) {
    if (read_.given && !read_.given.is_none())
      throw py::value_error("a prepared call makes its own results");
    const auto& arrays = read_.inputs.arrays;
    const auto array = py::reinterpret_borrow<py::array>(arrays.keep[arrays.audio]);
    lead_.assign(array.shape(), array.shape() + array.ndim() - 1);
    put({}, nullptr, 0, read_.inputs);  // drops the audio: each call has its own
  }

  std::unique_ptr<BoundCall> bind(const py::array& audio) const override {
    return std::unique_ptr<BoundCall>(new BoundOp<Op, T>(bound_to(audio)));  // which cannot be moved
  }

  py::object call(const py::array& audio) const override {
    CallSpan span(bridge_site<Op>);
    return span.run(bound_to(audio));
  }

 private:
  using Read = ReadCall<Op, T>;

  BoundOp<Op, T> bound_to(const py::array& audio) const {
    auto inputs = inputs_with(audio);
    // The lock is kept: to plan frames is a matter of nanoseconds.
    auto plan = Op::plan(read_.params, inputs.in);
    return {std::move(plan), std::move(inputs), py::handle()};
  }

  Inputs<typename Read::In> inputs_with(const py::array& audio) const {
    const trace::Span conversion(arguments_site, trace::detail_enabled);
    const auto n_lead = static_cast<py::ssize_t>(lead_.size());
    if (!is_view<T>(audio) || audio.ndim() != n_lead + 1 ||
        !std::equal(lead_.begin(), lead_.end(), audio.shape()))
      throw py::value_error("audio is not of the batch and type that the call was prepared with");
    auto inputs = read_.inputs;
    put(audio, static_cast<const T*>(audio.data()), audio.shape(n_lead), inputs);
    return inputs;
  }

  static void put(py::object audio, const T* data, Index n_samples, Inputs<typename Read::In>& inputs) {
    for_each_field<typename Read::In>([&](const auto& each) {
      using V = typename std::decay_t<decltype(each)>::Value;
      if constexpr (requires { each.finite; } && std::is_same_v<V, View<const T>>)
        if (each.finite) {
          (inputs.in.*each.member).data = data;
          (inputs.in.*each.member).cols = n_samples;
        }
    });
    inputs.arrays.keep[inputs.arrays.audio] = std::move(audio);
  }

  Read read_;
  Shape lead_;
};

// Reads the arguments of calls that differ in their audio alone, of one type and batch. Null for
// ops that read no audio, and for arrays on a device.
template <class Op>
std::unique_ptr<PreparedCall> prepare_call(const py::kwargs& kwargs) {
  if constexpr (has_audio<typename Op::template In<float>>()) {
    switch (precision_of<Op>(kwargs)) {
      case Precision::on_device:
        return nullptr;
      case Precision::wide:
        return std::make_unique<PreparedOp<Op, double>>(kwargs);
      default:
        return std::make_unique<PreparedOp<Op, float>>(kwargs);
    }
  }
  return nullptr;
}

// The three ways to call an op by its name.
struct Caller {
  py::object (*call)(const py::kwargs&);
  std::unique_ptr<BoundCall> (*bind)(const py::kwargs&, Session&);
  std::unique_ptr<PreparedCall> (*prepare)(const py::kwargs&);
};
std::map<std::string_view, Caller>& callers();

// Binds every op of a list. `kernel_ops` gets the names of ops that have a GPU kernel (also in
// builds without GPU).
template <class List>
void bind_list(py::module_& module) {
  py::list kernel_ops = module.attr("kernel_ops");
  List::for_each([&]<class Op>() {
    module.def(Op::name.data(), &call_any<Op>);
    callers()[Op::name] = {&call_any<Op>, &bind_call<Op>, &prepare_call<Op>};
    if (gpu::Kernel<Op>::exists) kernel_ops.append(py::str(std::string(Op::name)));
  });
}

}  // namespace metalmom::bridge
