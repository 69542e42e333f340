// Errors as data: what an argument must be, and what a device declines. Python's errors have the
// same attributes.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace metalmom {

// The text is `name=value must be rule` and the hint, without a value `name must be rule`; without
// a rule the name is the whole text.
struct ErrorParts {
  std::string name = {}, value = {}, rule = {};
  const char* verb = "must be";
  std::string hint = {};
  std::span<const std::string_view> choices = {};  // the words that the rule lists; static
};

std::string sentence(const ErrorParts& parts);

struct ArgumentError : ParameterError, ErrorParts {
  explicit ArgumentError(ErrorParts parts);
};

// What a device declines: an array that no kernel reads, or not in its order in memory; the plan of
// an op; float64; arrays of one call on both sides, or on two devices.
enum class Declined : std::uint8_t { array, order, plan, precision, side, device };
inline constexpr std::array<std::string_view, 6> declined_names = {"array",     "order", "plan",
                                                                   "precision", "side",  "device"};

// The text is `op: ` where an op is named, the lead, and that of the parts.
struct DeviceRefusal : DeviceError, ErrorParts {
  DeviceRefusal(Declined what, std::string_view by, ErrorParts parts, std::string_view first = {});
  Declined kind;
  std::string op, lead;
};

}  // namespace metalmom
