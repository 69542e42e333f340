#include "base/error.hpp"

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace metalmom {

FileError::FileError(std::string file, int error)
    : runtime_error(file + ": " + std::generic_category().message(error)),
      path(std::move(file)),
      code(error) {}

std::string to_text(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string to_text(std::string_view value) {
  std::string text = "'";
  return text.append(value).append("'");
}

void throw_parameter(std::string_view name, std::string_view value, std::string_view rule) {
  std::string text(name);
  throw ParameterError(text.append("=").append(value).append(" must be ").append(rule));
}

}  // namespace metalmom
