#include "bridge/bind_op.hpp"

namespace metalmom::bridge {

std::map<std::string_view, Caller>& callers() {
  static std::map<std::string_view, Caller> instance;
  return instance;
}

void show_warning() {
  const std::string text = dispatch::take_warning();
  if (text.empty()) return;
  bear_exit([&] {
    py::module_::import("metalmom.util._warnings").attr("warn")(text, py::handle(PyExc_RuntimeWarning));
  });
}

CallSpan::CallSpan(const trace::Site& site) : span_(site), before_(counters()) {
  name_after_public_call(span_);
}

py::object CallSpan::run(const BoundCall& bound) {
  {
    const GilReleased unlocked;
    bound.call().run();
  }
  show_warning();
  add_byte_counts(span_, before_);
  return bound.result();
}

py::kwargs brought_to_host(const py::kwargs& kwargs) {
  py::kwargs on_host;
  for (const auto& [name, value] : kwargs)
    on_host[name] =
        is_device_array(value) ? value.attr("numpy")() : py::reinterpret_borrow<py::object>(value);
  return on_host;
}

py::object brought_to_device(const py::object& results, const py::kwargs& beside) {
  if (py::isinstance<py::tuple>(results)) {
    py::list each;
    for (const auto& result : results)
      each.append(brought_to_device(py::reinterpret_borrow<py::object>(result), beside));
    return py::tuple(each);
  }
  const bool is_complex = py::reinterpret_borrow<py::array>(results).dtype().kind() == 'c';
  const py::object single = results.attr("astype")(is_complex ? "c8" : "f4");
  for (const auto& [name, value] : beside)
    if (is_device_array(value))
      return py::module_::import("metalmom._native").attr("to_device")(single, value);
  return results;
}

bool is_wide(const py::handle& object) {
  if (!py::isinstance<py::array>(object)) return false;
  const auto dtype = py::reinterpret_borrow<py::array>(object).dtype();
  return dtype.itemsize() > (dtype.kind() == 'c' ? 8 : 4);
}

}  // namespace metalmom::bridge
