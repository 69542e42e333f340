// Keyword arguments to parameters and inputs, through the op's field tables.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "base/fields.hpp"
#include "bridge/arrays.hpp"
#include "bridge/errors.hpp"
#include "bridge/session.hpp"

namespace metalmom::bridge {

template <class V>
inline constexpr bool is_optional = false;
template <class V>
inline constexpr bool is_optional<std::optional<V>> = true;

// The rule of an integer field for a value that is not an integer.
inline std::string integer_rule(const Range& range) {
  const std::string rule(range.rule);
  return rule == any_number.rule                       ? "an integer"
         : rule.find("integer") == std::string::npos ? rule + ", an integer"
                                                       : rule;
}

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
      throw_parameter(name, text_of(value), integer_rule(range));
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
  py::handle find(std::string_view name) {
    PyObject* found = PyDict_GetItemString(kwargs_.ptr(), name.data());
    if (found && used_ < used_names_.size()) used_names_[used_++] = name;
    return found;
  }

  py::handle need(std::string_view name) {
    const py::handle found = find(name);
    if (!found || found.is_none())
      throw py::type_error("missing argument: '" + std::string(name) + "'");
    return found;
  }

  // Throws Python's own error for an unexpected keyword argument.
  void reject_unknown(std::string_view function) const {
    if (used_ == kwargs_.size()) return;
    const auto used = std::span(used_names_).first(used_);
    for (const auto& [name, value] : kwargs_)
      if (std::ranges::find(used, name.cast<std::string_view>()) == used.end())
        throw py::type_error(std::string(function) + "() got an unexpected keyword argument " +
                             text_of(name));
  }

  template <class P>
  P params() {
    P params;
    for_each_field<P>([&](const auto& each) {
      using V = typename std::decay_t<decltype(each)>::Value;
      if (const py::handle value = find(each.name))
        params.*each.member = scalar_from<V>(value, each.name, each.range);
    });
    return params;
  }

 private:
  const py::kwargs& kwargs_;
  std::array<std::string_view, 32> used_names_;  // more than any op has
  std::size_t used_ = 0;
};

// Inputs as views, and the arrays that keep them alive over the call.
template <class In>
struct Inputs {
  In in;
  std::vector<py::object> keep;
  std::size_t audio = 0;  // index of the audio in `keep`, where the op reads audio
  Shape lead;             // the batch axes of the first array
};

template <class V>
struct ViewElement;
template <class T>
struct ViewElement<View<const T>> {
  using type = T;
};

// Reads an input that is no array of samples: a window, or a handle that the bridge made (a Basis).
template <class Each, class In>
void read_other(Arguments& arguments, const Each& each, In& in, std::vector<py::object>& keep) {
  using V = typename Each::Value;
  if constexpr (std::is_same_v<V, std::span<const double>>) {
    auto array = contiguous<double>(arguments.need(each.name), each.name);
    in.*each.member = {array.data(), static_cast<std::size_t>(array.size())};
    keep.push_back(std::move(array));
  } else {
    using Held = std::shared_ptr<std::remove_const_t<typename V::element_type>>;
    in.*each.member = arguments.need(each.name).template cast<Held>();
  }
}

// `session`: of a call in one, whose audio it converts.
template <class In>
Inputs<In> read_inputs(Arguments& arguments, Session* session = nullptr) {
  Inputs<In> result;
  bool first = true;
  for_each_field<In>([&](const auto& each) {
    using V = typename std::decay_t<decltype(each)>::Value;
    if constexpr (requires { each.core; }) {
      using T = typename ViewElement<V>::type;
      const py::handle given =
          each.optional ? arguments.find(each.name) : arguments.need(each.name);
      if (!given || given.is_none()) return;
      auto array = each.finite && session ? session->audio<T>(given, each.name)
                                          : contiguous<T>(given, each.name);
      result.in.*each.member = view_of(array, each.core, each.name);
      if (std::exchange(first, false))
        result.lead.assign(array.shape(), array.shape() + array.ndim() - each.core);
      if (each.finite) result.audio = result.keep.size();
      result.keep.push_back(std::move(array));
    } else {
      read_other(arguments, each, result.in, result.keep);
    }
  });
  return result;
}

}  // namespace metalmom::bridge
