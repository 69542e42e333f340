#include "bridge/errors.hpp"

#include <new>
#include <utility>

#include "base/error.hpp"

namespace metalmom::bridge {

namespace py = pybind11;
using namespace pybind11::literals;

py::object python_text(std::string_view words) {
  auto text = py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
      words.data(), static_cast<py::ssize_t>(words.size()), "backslashreplace"));
  if (!text) throw py::error_already_set();
  return text;
}

namespace {

template <class... More>
py::object made_of(const py::object& kind, const ErrorParts& parts, More&&... more) {
  const auto exceptions = py::module_::import("metalmom.util.exceptions");
  const py::object value = parts.value.empty() ? py::object(exceptions.attr("Unsaid"))
                                               : exceptions.attr("Shown")(python_text(parts.value));
  const py::object rule = parts.rule.empty() ? py::object(py::none()) : python_text(parts.rule);
  py::list choices;
  for (const std::string_view each : parts.choices) choices.append(python_text(each));
  return kind(python_text(parts.name), value, rule, "verb"_a = parts.verb,
              "hint"_a = python_text(parts.hint), "choices"_a = py::tuple(choices),
              std::forward<More>(more)...);
}

}  // namespace

// The classes are looked up when an error is thrown: importing them earlier would make the package
// import itself.
py::object python_error(const std::exception& raised) {
  const auto exceptions = py::module_::import("metalmom.util.exceptions");
  if (const auto* error = dynamic_cast<const ArgumentError*>(&raised))
    return made_of(exceptions.attr("ParameterError"), *error);
  if (const auto* error = dynamic_cast<const DeviceRefusal*>(&raised))
    return made_of(exceptions.attr("DeviceError"), *error, "op"_a = error->op,
                   "kind"_a = declined_names[static_cast<std::size_t>(error->kind)],
                   "lead"_a = error->lead);
  if (dynamic_cast<const std::bad_alloc*>(&raised))
    return py::reinterpret_borrow<py::object>(PyExc_MemoryError)(
        "the system has no memory for what this call works in");
  if (const auto* error = dynamic_cast<const AudioError*>(&raised))
    return exceptions.attr("AudioError")(python_text(error->fault), python_text(error->words));
  const char* kind = dynamic_cast<const DeviceError*>(&raised) ? "DeviceError" : "ParameterError";
  return exceptions.attr(kind)(python_text(raised.what()));
}

}  // namespace metalmom::bridge
