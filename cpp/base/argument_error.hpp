// A ParameterError of one argument, as data: Python's error has the same attributes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace metalmom {

// Its text is `name=value must be rule`, without a value `name must be rule`.
struct ArgumentError : ParameterError {
  ArgumentError(std::string_view argument, std::string_view shown, std::string_view says,
                const char* leads = "must be");
  std::string name, value, rule;
  const char* verb;
  std::span<const std::string_view> choices;  // the words that the rule lists; static
};

}  // namespace metalmom
