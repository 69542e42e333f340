#include "bridge/errors.hpp"

namespace metalmom::bridge {

namespace py = pybind11;
using namespace pybind11::literals;

py::object python_text(std::string_view words) {
  auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      words.data(), static_cast<py::ssize_t>(words.size()), "backslashreplace"));
  if (!text) throw py::error_already_set();
  return text;
}

// The class is looked up when an error is thrown: importing it earlier would make the package import
// itself.
py::object python_error(const ParameterError& raised) {
  const auto exceptions = py::module_::import("metalmom.util.exceptions");
  const auto kind = exceptions.attr("ParameterError");
  const auto* error = dynamic_cast<const ArgumentError*>(&raised);
  if (!error) return kind(python_text(raised.what()));
  const py::object value = error->value.empty()
                               ? py::object(exceptions.attr("Unsaid"))
                               : exceptions.attr("Shown")(python_text(error->value));
  py::list choices;
  for (const std::string_view each : error->choices) choices.append(python_text(each));
  return kind(python_text(error->name), value, python_text(error->rule), "verb"_a = error->verb,
              "choices"_a = py::tuple(choices));
}

}  // namespace metalmom::bridge
