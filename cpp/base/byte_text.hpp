// Sizes of memory as errors show them.
#pragma once

#include <cstddef>
#include <string>

namespace metalmom {

// In the largest unit of which there is one, rounded down: below ten to a tenth.
inline std::string byte_text(std::size_t bytes) {
  constexpr const char* units[] = {" bytes", " KiB", " MiB", " GiB"};
  std::size_t unit = 0, rest = 0;
  for (; unit < 3 && bytes >= 1024; bytes >>= 10, ++unit) rest = bytes % 1024;
  const std::size_t tenths = bytes < 10 ? rest * 10 / 1024 : 0;
  std::string text = std::to_string(bytes);
  if (tenths) text.append(1, '.').append(std::to_string(tenths));
  return text + units[unit];
}

}  // namespace metalmom
