// What tests of recordings share: sites, and how to find events by name.
#pragma once

#include <algorithm>
#include <string_view>

#include "trace/recording.hpp"
#include "trace/trace.hpp"

namespace metalmom::trace {

inline constexpr Site outer{"outer", Category::bridge};
inline constexpr Site inner{"inner", Category::engine};

inline const Event* find(const Snapshot& s, std::string_view name) {
  const auto found =
      std::find_if(s.events.begin(), s.events.end(), [&](auto& e) { return e.name == name; });
  return found == s.events.end() ? nullptr : &*found;
}

inline int count(const Snapshot& s, std::string_view name) {
  return static_cast<int>(
      std::count_if(s.events.begin(), s.events.end(), [&](auto& e) { return e.name == name; }));
}

}  // namespace metalmom::trace
