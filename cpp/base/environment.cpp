#include "base/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace metalmom {

namespace {

std::string_view environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

std::optional<Index> to_count(std::string_view text, Index most) {
  Index count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size() || count < 1 || count > most)
    return std::nullopt;
  return count;
}

}  // namespace

std::optional<Index> environment_count(const char* name, Index most) {
  const std::string_view text = environment(name);
  if (text.empty()) return std::nullopt;
  const auto count = to_count(text, most);
  require(count.has_value(), name, text, "a whole number from 1 to " + std::to_string(most));
  return count;
}

bool environment_flag(const char* name, bool otherwise) {
  const std::string_view text = environment(name);
  if (text.empty()) return otherwise;
  require(text == "0" || text == "1", name, text, "0 or 1");
  return text == "1";
}

std::optional<Index> foreign_environment_count(const char* name, Index most) {
  const std::string_view text = environment(name);
  return to_count(text.substr(0, text.find(',')), most);
}

}  // namespace metalmom
