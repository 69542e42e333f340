// A call of an op as Python makes it: bound to its arguments, which are read here alone, with the
// Python objects whose memory it reads and fills.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_parts.hpp"
#include "bridge/inputs.hpp"
#include "graph/call.hpp"

namespace metalmom::bridge {

inline constexpr trace::Site arguments_site{"arguments", trace::Category::bridge};

template <class Op, class T>
std::unique_ptr<graph::Bound<Op, T>> read_call(const py::kwargs& kwargs, CallArrays& arrays) {
  using Call = graph::Bound<Op, T>;
  Arguments arguments(kwargs);
  const auto params = arguments.params<typename Op::Params>();
  auto in = [&] {
    const trace::Span conversion(arguments_site, trace::detail_enabled);
    return read_inputs<typename Call::In>(arguments, arrays);
  }();
  if (n_fields<typename Call::Out> == 1) arrays.find_out(arguments);
  arguments.reject_unknown(Op::name);
  return std::make_unique<Call>(params, std::move(in));
}

// The same in the precision of the arrays.
template <class Op>
std::unique_ptr<graph::Call> read_op(const py::kwargs& kwargs, CallArrays& arrays) {
  arrays.precision = precision_of(kwargs, deciding_arrays<typename Op::template In<float>>);
  if (arrays.precision == Precision::wide) return read_call<Op, double>(kwargs, arrays);
  if (!dispatch::has_kernel<Op> && arrays.are_on_device())
    throw DeviceRefusal(Declined::array, "",
                        {.name = std::string(Op::name) + " takes no DeviceArray"});
  return read_call<Op, float>(kwargs, arrays);
}

// The ops, as far as they are bound, by their names.
using Reader = std::unique_ptr<graph::Call> (*)(const py::kwargs&, CallArrays&);
std::map<std::string_view, Reader>& readers();

// Shows a warning that the engine has left (a GPU that failed). Where Python makes warnings errors,
// this throws.
void show_warning();

// A call of which only the audio is open: any of the type and the batch that it was prepared with,
// however long.
class PreparedCall {
 public:
  PreparedCall(std::unique_ptr<graph::Call> call, CallArrays arrays);

  std::string_view name() const { return call_->name(); }
  const Shape& lead() const { return arrays_.lead; }
  std::unique_ptr<graph::Call> of_audio(const py::array& audio) const;

 private:
  std::unique_ptr<graph::Call> call_;
  CallArrays arrays_;  // without its audio
  py::dtype dtype_;
};

class BoundCall {
 public:
  BoundCall(Reader read, const py::kwargs& kwargs, Session* session = nullptr);
  // `owner` is the prepared call as Python has it.
  BoundCall(const PreparedCall& prepared, py::object owner, const py::array& audio);

  const graph::Call& call() const { return *call_; }
  bool is_on_device() const { return arrays_.are_on_device(); }
  // An array, or a tuple of several.
  py::object result() const;

  // Of arrays on the host: makes the arrays of its results, or takes the one that the caller gave.
  void make_results();
  // Of arrays on a device: submits it, with results there. `read` and `kwargs` are what it was made
  // of.
  py::object submit(Reader read, const py::kwargs& kwargs);

 private:
  CallArrays arrays_;
  std::unique_ptr<graph::Call> call_;
  std::vector<py::object> results_;
};

// Make a call, in a span named after its op.
py::object call(std::string_view op, Reader read, const py::kwargs& kwargs);
py::object call_prepared(const py::object& prepared, const py::array& audio);

}  // namespace metalmom::bridge
