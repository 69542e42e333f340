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
    py::module_::import("metalmom._warnings").attr("warn")(text, py::handle(PyExc_RuntimeWarning));
  });
}

bool is_wide(const py::handle& object) {
  if (!py::isinstance<py::array>(object)) return false;
  const auto dtype = py::reinterpret_borrow<py::array>(object).dtype();
  return dtype.itemsize() > (dtype.kind() == 'c' ? 8 : 4);
}

}  // namespace metalmom::bridge
