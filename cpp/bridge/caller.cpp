#include "bridge/caller.hpp"

#include <pybind11/pybind11.h>

#include <string_view>

namespace metalmom::bridge {

namespace py = pybind11;

namespace {

// A function of the package whose name does not begin with an underscore or "<" (comprehensions).
bool is_public(const py::object& frame, const std::string& name) {
  if (name.starts_with('_') || name.starts_with('<')) return false;
  const auto globals = py::reinterpret_steal<py::dict>(
      PyFrame_GetGlobals(reinterpret_cast<PyFrameObject*>(frame.ptr())));
  const auto module = py::str(globals["__name__"]).cast<std::string>();
  // The evaluator stands between a function and the engine.
  return module.starts_with("metalmom.") && module != "metalmom._engine.evaluate";
}

}  // namespace

void name_after_caller(trace::Span& span) {
  if (!span.on() || trace::open_spans(trace::Category::bridge) > 1) return;
  auto frame = py::reinterpret_borrow<py::object>(
      reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  while (frame) {
    auto* raw = reinterpret_cast<PyFrameObject*>(frame.ptr());
    const auto code = py::reinterpret_steal<py::object>(
        reinterpret_cast<PyObject*>(PyFrame_GetCode(raw)));
    const auto name = code.attr("co_name").cast<std::string>();
    if (is_public(frame, name)) return span.rename(trace::intern(name));
    frame = py::reinterpret_steal<py::object>(reinterpret_cast<PyObject*>(PyFrame_GetBack(raw)));
  }
}

}  // namespace metalmom::bridge
