// A session as Python has it.
#pragma once

#include <map>
#include <utility>

#include "bridge/arrays.hpp"
#include "graph/session.hpp"

namespace metalmom::bridge {

// An array of another type or layout is converted once for all that read it.
class Session {
 public:
  graph::Session& engine() { return engine_; }

  // Audio as the engine reads it.
  template <class T>
  py::array_t<T> audio(const py::handle& given, std::string_view name) {
    if (is_view<T>(given)) return py::reinterpret_borrow<py::array_t<T>>(given);
    const std::pair key{given.ptr(), sizeof(T)};
    if (const auto found = converted_.find(key); found != converted_.end())
      return py::reinterpret_borrow<py::array_t<T>>(found->second.array);
    auto array = contiguous<T>(given, name);
    converted_.emplace(key, Converted{py::reinterpret_borrow<py::object>(given), array});
    return array;
  }

 private:
  struct Converted {
    py::object given;  // owned, since its address is the key
    py::object array;
  };
  std::map<std::pair<const PyObject*, std::size_t>, Converted> converted_;
  graph::Session engine_;
};

}  // namespace metalmom::bridge
