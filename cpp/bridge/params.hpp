// Keyword arguments to parameters and inputs, through the op's field tables.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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
std::string integer_rule(const Range& range);

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

// Large code that many ops share depends on the element's type alone, and is not inlined: each op would
// have a copy of it.

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

// The arrays of inputs, kept alive over the call.
struct KeptArrays {
  KeptArrays();
  KeptArrays(const KeptArrays&);
  KeptArrays(KeptArrays&&) noexcept;
  KeptArrays& operator=(KeptArrays&&) noexcept;
  ~KeptArrays();

  std::vector<py::object> keep;
  std::size_t audio = 0;  // index of the audio in `keep`, where the op reads audio
  Shape lead;             // the batch axes of the first array
  bool has_lead = false;
};

// Inputs as views.
template <class In>
struct Inputs {
  In in;
  KeptArrays arrays;
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

// Reads an array whose items have `core` axes, if it is given. `session`: of a call in one, whose
// audio it converts.
template <class T>
[[gnu::noinline]] void read_array(Arguments& arguments, std::string_view name, int core,
                                  bool is_needed, bool holds_audio, Session* session,
                                  View<const T>& view, KeptArrays& arrays) {
  const py::handle given = is_needed ? arguments.need(name) : arguments.find(name);
  if (!given || given.is_none()) return;
  auto array = holds_audio && session ? session->audio<T>(given, name) : contiguous<T>(given, name);
  view = view_of(array, core, name);
  if (!std::exchange(arrays.has_lead, true))
    arrays.lead.assign(array.shape(), array.shape() + array.ndim() - core);
  if (holds_audio) arrays.audio = arrays.keep.size();
  arrays.keep.push_back(std::move(array));
}

template <class In>
[[gnu::noinline]] Inputs<In> read_inputs(Arguments& arguments, Session* session = nullptr) {
  Inputs<In> result;
  for_each_field<In>([&](const auto& each) {
    if constexpr (requires { each.core; })
      read_array(arguments, each.name, each.core, !each.optional, each.finite, session,
                 result.in.*each.member, result.arrays);
    else
      read_other(arguments, each, result.in, result.arrays.keep);
  });
  return result;
}

}  // namespace metalmom::bridge
