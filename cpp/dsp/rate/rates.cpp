#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "dsp/rate/resampler.hpp"

namespace metalmom::dsp {

std::optional<Quality> quality_named(std::string_view name) {
  constexpr std::array<std::string_view, 5> names{"soxr_qq", "soxr_lq", "soxr_mq", "soxr_hq",
                                                  "soxr_vhq"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Quality>(found - names.begin());
}

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

}  // namespace metalmom::dsp
