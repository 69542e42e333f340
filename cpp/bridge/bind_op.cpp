#include "bridge/bind_op.hpp"

namespace metalmom::bridge {

void show_warning() {
  const std::string text = dispatch::take_warning();
  if (!text.empty() && PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) < 0)
    throw py::error_already_set();
}

bool is_wide(const py::handle& object) {
  if (!py::isinstance<py::array>(object)) return false;
  const auto dtype = py::reinterpret_borrow<py::array>(object).dtype();
  return dtype.itemsize() > (dtype.kind() == 'c' ? 8 : 4);
}

}  // namespace metalmom::bridge
