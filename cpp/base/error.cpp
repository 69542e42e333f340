#include "base/error.hpp"

#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "base/error_parts.hpp"

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

std::string sentence(const ErrorParts& parts) {
  if (parts.rule.empty()) return parts.name;
  std::string text = parts.name;
  if (!parts.value.empty()) text.append("=").append(parts.value);
  return text.append(" ").append(parts.verb).append(" ").append(parts.rule).append(parts.hint);
}

ArgumentError::ArgumentError(ErrorParts parts)
    : ParameterError(sentence(parts)), ErrorParts(std::move(parts)) {}

DeviceRefusal::DeviceRefusal(Declined what, std::string_view by, ErrorParts parts,
                             std::string_view first)
    : DeviceError(std::string(by).append(by.empty() ? "" : ": ").append(first) + sentence(parts)),
      ErrorParts(std::move(parts)),
      kind(what),
      op(by),
      lead(first) {}

void throw_parameter(std::string_view name, std::string_view value, std::string_view rule) {
  throw ArgumentError({std::string(name), std::string(value), std::string(rule)});
}

}  // namespace metalmom
