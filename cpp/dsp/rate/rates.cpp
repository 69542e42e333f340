#include <cmath>
#include <string>

#include "base/error.hpp"
#include "dsp/rate/resampler.hpp"

namespace metalmom::dsp {

void require_rates(double from_rate, double to_rate, std::string_view name,
                   std::string_view origin) {
  constexpr double largest_ratio = 1 << 15;
  const double ratio = to_rate / from_rate;
  require(ratio <= largest_ratio && ratio >= 1 / largest_ratio, name, to_rate,
          "within a factor of 32768 of " + std::string(origin) + to_text(from_rate));
}

Index resampled_length(Index count, double from_rate, double to_rate) {
  return static_cast<Index>(std::ceil(static_cast<double>(count) * (to_rate / from_rate)));
}

Index made_length(Index count, double from_rate, double to_rate) {
  return static_cast<Index>(std::floor(static_cast<double>(count) * (to_rate / from_rate) + 0.5));
}

}  // namespace metalmom::dsp
