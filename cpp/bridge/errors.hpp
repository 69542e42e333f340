// The engine's errors as objects of Python.
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <string>
#include <string_view>

#include "base/error_parts.hpp"
#include "base/fields.hpp"

namespace metalmom::bridge {

// Names of files are bytes, which need not be UTF-8: those that are not are shown as \xff.
pybind11::object python_text(std::string_view words);

// An exception of the engine as Python's, with the same parts.
pybind11::object python_error(const std::exception& raised);

// The value of an enumeration that an argument names.
template <class E>
E enum_from_name(std::string_view argument, std::string_view name) {
  constexpr auto& names = EnumNames<E>::value;
  std::string rule = "one of";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<E>(i);
    rule.append(i ? ", '" : " '").append(names[i]).append("'");
  }
  throw ArgumentError(
      {.name = std::string(argument), .value = to_text(name), .rule = rule, .choices = names});
}

}  // namespace metalmom::bridge
