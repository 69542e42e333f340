#include "base/error.hpp"

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/argument_error.hpp"

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

namespace {

std::string sentence(std::string_view name, std::string_view value, std::string_view rule,
                     const char* verb) {
  std::string text(name);
  if (!value.empty()) text.append("=").append(value);
  return text.append(" ").append(verb).append(" ").append(rule);
}

}  // namespace

ArgumentError::ArgumentError(std::string_view argument, std::string_view shown,
                             std::string_view says, const char* leads)
    : ParameterError(sentence(argument, shown, says, leads)),
      name(argument),
      value(shown),
      rule(says),
      verb(leads) {}

void throw_parameter(std::string_view name, std::string_view value, std::string_view rule) {
  throw ArgumentError(name, value, rule);
}

}  // namespace metalmom
