// Keyword arguments to parameters, through the field tables.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/fields.hpp"
#include "bridge/arrays.hpp"
#include "bridge/errors.hpp"

namespace metalmom::bridge {

template <class V>
inline constexpr bool is_optional = false;
template <class V>
inline constexpr bool is_optional<std::optional<V>> = true;

// One argument of a call; an error names it as `name`.
template <class V>
V scalar_from(const py::handle& value, std::string_view name, const Range& range) {
  if constexpr (std::is_same_v<V, bool>) {
    const int truth = PyObject_IsTrue(value.ptr());
    if (truth < 0) {
      PyErr_Clear();
      throw_parameter(name, text_of(value), "True or False");
    }
    return truth != 0;
  } else if constexpr (std::is_integral_v<V>) {
    const auto number = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
    const long long integer = number ? PyLong_AsLongLong(number.ptr()) : -1;
    if (PyErr_Occurred()) {
      PyErr_Clear();
      throw_parameter(name, text_of(value), range.rule);
    }
    return static_cast<V>(integer);
  } else if constexpr (is_optional<V>) {
    if (value.is_none()) return std::nullopt;
    return scalar_from<typename V::value_type>(value, name, range);
  } else if constexpr (std::is_floating_point_v<V>) {
    const double real = PyFloat_AsDouble(value.ptr());
    if (real == -1.0 && PyErr_Occurred()) {
      PyErr_Clear();
      throw_parameter(name, text_of(value), range.rule);
    }
    return static_cast<V>(real);
  } else {
    if (!py::isinstance<py::str>(value)) throw_parameter(name, text_of(value), "a string");
    return enum_from_name<V>(name, value.cast<std::string_view>());
  }
}

// A call's keyword arguments. Those that no `find` asked for are unknown ones.
class Arguments {
 public:
  explicit Arguments(const py::kwargs& kwargs) : kwargs_(kwargs) {}

  // The argument, or a null handle. `name` is a literal, so it ends in a zero.
  py::handle find(std::string_view name);
  // The argument. Throws Python's own error if it is not given.
  py::handle need(std::string_view name);
  // Throws Python's own error for an unexpected keyword argument.
  void reject_unknown(std::string_view function) const;

  template <class P>
  [[gnu::noinline]] P params() {
    P params;
    for_each_field<P>([&](const auto& each) { read(each.name, each.range, params.*each.member); });
    return params;
  }

 private:
  template <class V>
  [[gnu::noinline]] void read(std::string_view name, const Range& range, V& into) {
    if (const py::handle value = find(name)) into = scalar_from<V>(value, name, range);
  }

  const py::kwargs& kwargs_;
  std::array<std::string_view, 32> used_names_;  // more than any op has
  std::size_t used_ = 0;
};

}  // namespace metalmom::bridge
