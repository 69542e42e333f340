// Sizes of memory, as errors show them and as people write them.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

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

// A number of bytes from "512M", "1.5 GiB", "2gb" or "4096"; nothing for any other text. More than
// can be counted is as much as can be.
inline std::optional<std::size_t> bytes_of_text(std::string_view text) {
  const char *at = text.data(), *const end = at + text.size();
  if (at == end || *at < '0' || *at > '9') return std::nullopt;
  double number = 0;
  const auto read = std::from_chars(at, end, number, std::chars_format::fixed);
  if (read.ec != std::errc()) return std::nullopt;
  at = read.ptr;
  const auto next_is = [&](char lower) { return at < end && (*at | ' ') == lower; };
  while (next_is(' ')) ++at;
  int exponent = 0;
  for (int power = 10; const char unit : {'k', 'm', 'g', 't'}) {
    if (next_is(unit)) exponent = power;
    power += 10;
  }
  if (exponent) ++at;
  if (exponent && next_is('i') && at + 1 < end) ++at;
  if (next_is('b')) ++at;
  if (at != end) return std::nullopt;
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const double bytes = std::ldexp(number, exponent);
  return bytes < static_cast<double>(most) ? static_cast<std::size_t>(bytes) : most;
}

}  // namespace metalmom
