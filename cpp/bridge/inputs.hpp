// The arrays that a call reads, on the host or on a device, as the inputs of an op.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bridge/device_array.hpp"
#include "bridge/params.hpp"
#include "bridge/session.hpp"

namespace metalmom::bridge {

enum class Precision : std::uint8_t { single, wide, on_device };

// The arrays of a call, kept alive over it.
struct CallArrays {
  Precision precision = Precision::single;
  Session* session = nullptr;  // of a call in one, whose audio it converts
  std::vector<py::object> keep;
  py::object audio;  // null where the op reads none
  py::object out;    // where the result is to go; null where the caller did not say
  Shape lead;        // the batch axes of the first array
  bool has_lead = false;
  std::vector<gpu::DeviceData> on_device;
  bool has_values = false;  // of arrays on a device

  bool are_on_device() const { return precision == Precision::on_device; }
  // Adds a DeviceArray. Its view has no data: it tells a plan the shape.
  View<const std::byte> add_on_device(const py::handle& given, std::string_view name, int core,
                                      bool wants_complex, bool must_be_finite);
  void find_out(Arguments& arguments);
};

// Double if any array of samples or spectra, which are those `named`, is float64 or complex128;
// float for anything else.
Precision precision_of(const py::kwargs& kwargs, std::span<const std::string_view> named);

// The names of the arrays that decide the precision. Arrays that are double in either case
// (windows, periods) do not, and are empty here.
template <class In>
constexpr auto deciding_arrays = In::fields()([](const auto&... each) {
  const auto name_of = [](const auto& field) -> std::string_view {
    using V = typename std::decay_t<decltype(field)>::Value;
    if constexpr (requires { field.core; } && !std::is_same_v<V, View<const double>>)
      return field.name;
    return {};
  };
  return std::array<std::string_view, sizeof...(each)>{name_of(each)...};
});

// Large code that many ops share depends on the element's type alone, and is not inlined: each op
// would have a copy of it.

// Whether an array (..., bins, frames) lies frame after frame in memory.
bool has_frames_first(const py::handle& array);

// Reads an array whose items have `core` axes, if it is given. The order of a Spectrogram is its
// own.
template <class T>
[[gnu::noinline]] void read_array(Arguments& arguments, std::string_view name, int core,
                                  bool is_needed, bool is_audio, bool must_be_finite,
                                  bool frames_first, bool* order_found, View<const T>& view,
                                  CallArrays& arrays) {
  auto given =
      py::reinterpret_borrow<py::object>(is_needed ? arguments.need(name) : arguments.find(name));
  if (!given || given.is_none()) return;
  if (order_found) frames_first = *order_found = has_frames_first(given);
  if (frames_first) given = given.attr("swapaxes")(-1, -2);
  if (arrays.are_on_device()) {
    const auto shape =
        arrays.add_on_device(given, name, core, !std::is_floating_point_v<T>, must_be_finite);
    view = {nullptr, shape.batch, shape.rows, shape.cols};
    return;
  }
  auto array = is_audio && arrays.session ? arrays.session->audio<T>(given, name)
                                          : contiguous<T>(given, name);
  view = view_of(array, core, name);
  if (!std::exchange(arrays.has_lead, true))
    arrays.lead.assign(array.shape(), array.shape() + array.ndim() - core);
  if (is_audio)
    arrays.audio = std::move(array);
  else
    arrays.keep.push_back(std::move(array));
}

// Reads an input that is no array of samples: a window, or a handle that the bridge made (a Basis).
template <class V>
[[gnu::noinline]] void read_other(Arguments& arguments, std::string_view name, V& value,
                                  CallArrays& arrays) {
  const py::handle given = arguments.need(name);
  if constexpr (std::is_same_v<V, std::span<const double>>) {
    auto array = contiguous<double>(given, name);
    value = {array.data(), static_cast<std::size_t>(array.size())};
    arrays.keep.push_back(std::move(array));
  } else {
    value = given.template cast<std::shared_ptr<std::remove_const_t<typename V::element_type>>>();
  }
}

// Whether all arrays of an op must be finite, not its audio alone.
template <class In>
inline constexpr bool needs_finite = requires {
  requires In::all_finite;
};

template <class In>
[[gnu::noinline]] In read_inputs(Arguments& arguments, CallArrays& arrays) {
  In in;
  for_each_field<In>([&](const auto& each) {
    if constexpr (requires { each.core; }) {
      auto& view = in.*each.member;
      bool* order = nullptr;
      if constexpr (requires { view.frames_first; }) order = &view.frames_first;
      read_array(arguments, each.name, each.core, !each.optional, each.finite, needs_finite<In>,
                 each.frames_first, order, view, arrays);
    } else
      read_other(arguments, each.name, in.*each.member, arrays);
  });
  return in;
}

}  // namespace metalmom::bridge
