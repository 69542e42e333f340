#include "graph/tap_text.hpp"

#include "base/error.hpp"

namespace metalmom::graph {

std::string text_of(const ops::Tap& tap) {
  using Value = ops::Tap::Value;
  const std::string precision = tap.wide ? ", transformed in double" : "";
  const auto power = [&] {
    return tap.power == 2   ? std::string("power")
           : tap.power == 1 ? std::string("magnitude")
                            : "magnitude^" + to_text(static_cast<double>(tap.power));
  };
  switch (tap.value) {
    case Value::samples:
      return "samples";
    case Value::powers:
      return power() + precision;
    case Value::bands:
      return std::to_string(tap.basis->n_bands()) + " bands of " + power() + precision;
    case Value::levels:
      return "levels of " + std::to_string(tap.basis->n_bands()) + " bands of " + power() +
             precision;
  }
  return {};
}

}  // namespace metalmom::graph
