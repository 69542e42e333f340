// What a DeviceArray is not, said where somebody tries it: Python's and NumPy's own errors would
// not name the way out, and comparisons and truth would answer something.
#include <pybind11/pybind11.h>

#include <string>

#include "bridge/bindings.hpp"
#include "bridge/device_array.hpp"

namespace metalmom::bridge {

namespace {

// `kind` is a subclass of Python's DeviceError, by which a function that does such a thing is known
// to have no kernel.
[[noreturn]] void refuse_use(const char* kind, const std::string& what) {
  const auto type = py::module_::import("metalmom.util.exceptions").attr(kind);
  const auto error = type("a DeviceArray has no " + what + ": .numpy() brings it to the host");
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

using Bound = py::class_<DeviceArray>;

void refuse(Bound& bound, const char* method, const std::string& what) {
  bound.def(method, [what](const py::args&) -> py::object { refuse_use("DeviceTypeError", what); });
}

struct Method {
  const char *name, *what;
};

constexpr Method operators[] = {
    {"add", "+"}, {"sub", "-"},     {"mul", "*"},     {"truediv", "/"}, {"floordiv", "//"},
    {"mod", "%"}, {"pow", "**"},    {"matmul", "@"},  {"and", "&"},     {"or", "|"},
    {"xor", "^"}, {"lshift", "<<"}, {"rshift", ">>"},
};
constexpr Method unary_and_comparisons[] = {
    {"__neg__", "-"}, {"__pos__", "+"}, {"__invert__", "~"}, {"__eq__", "=="}, {"__ne__", "!="},
    {"__lt__", "<"},  {"__le__", "<="}, {"__gt__", ">"},     {"__ge__", ">="},
};
constexpr Method others[] = {
    {"__bool__", "truth value"},
    {"__abs__", "abs()"},
    {"__float__", "float()"},
    {"__int__", "int()"},
    {"__complex__", "complex()"},
    {"__index__", "use as an index"},
    {"__round__", "round()"},
    {"__divmod__", "divmod()"},
    {"__rdivmod__", "divmod()"},
    {"__getitem__", "indexing"},
    {"__setitem__", "assignment to items"},
    {"__delitem__", "items to delete"},
    {"__iter__", "iteration"},
    {"__contains__", "operator in"},
};

}  // namespace

void bind_device_array_refusals(py::module_& module) {
  auto bound = py::object(module.attr("DeviceArray")).cast<Bound>();
  // By identity, as torch's tensors have it; pybind11 would take it away with __eq__.
  bound.attr("__hash__") = py::module_::import("builtins").attr("object").attr("__hash__");
  for (const auto& [name, what] : operators)
    for (const char* kind : {"__", "__r", "__i"})
      refuse(bound, (std::string(kind) + name + "__").c_str(), "operator " + std::string(what));
  for (const auto& [name, what] : unary_and_comparisons)
    refuse(bound, name, "operator " + std::string(what));
  for (const auto& [name, what] : others) refuse(bound, name, what);
  // NumPy's operators ask those above first.
  bound.attr("__array_priority__") = 1e6;
  bound.def("__getattr__", [](const py::object&, const std::string& name) -> py::object {
    refuse_use("DeviceAttributeError", "attribute '" + name + "'");
  });
  // An object without memory behind it would end the process at its first use.
  bound.def_static("__new__", [](const py::args&, const py::kwargs&) -> py::object {
    throw py::type_error("a DeviceArray is made by metalmom.to_device()");
  });
}

}  // namespace metalmom::bridge
