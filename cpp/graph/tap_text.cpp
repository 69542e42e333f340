#include "graph/tap_text.hpp"

#include "base/error.hpp"

namespace metalmom::graph {

namespace {

std::string power_of(const ops::Tap& tap) {
  const std::string power = tap.power == 2 ? "power"
                            : tap.power == 1
                                ? "magnitude"
                                : "magnitude^" + to_text(static_cast<double>(tap.power));
  return tap.wide ? power + ", transformed in double" : power;
}

}  // namespace

std::vector<std::string> values_of(const ops::Tap& tap) {
  using Value = ops::Tap::Value;
  std::vector<std::string> values;
  if (tap.value >= Value::powers) values.push_back(power_of(tap));
  if (tap.value >= Value::bands) values.push_back(std::to_string(tap.basis->n_bands()) + " bands");
  if (tap.value >= Value::levels) values.push_back("levels");
  return values;
}

}  // namespace metalmom::graph
