// Sizes of memory as errors show them.
#pragma once

#include <cstddef>
#include <string>

namespace metalmom {

// In the largest unit of which there is one, rounded down.
inline std::string byte_text(std::size_t bytes) {
  constexpr const char* units[] = {" bytes", " KiB", " MiB"};
  std::size_t unit = 0;
  while (unit < 2 && bytes >= 1024) bytes >>= 10, ++unit;
  return std::to_string(bytes) + units[unit];
}

}  // namespace metalmom
