// Why a kernel declines a plan, where a parameter is the cause, so that an error can name it.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace metalmom::gpu {

// A kernel answers with the text, by whose address the reason is known.
class ParameterReason {
 public:
  constexpr ParameterReason(std::string_view parameter, std::string_view what_it_is)
      : name(parameter), rule(what_it_is) {
    auto at = text_.begin();
    for (const std::string_view part : {name, std::string_view(" is "), rule})
      at = std::ranges::copy(part, at).out;
  }

  constexpr const char* text() const { return text_.data(); }

  std::string_view name, rule;

 private:
  std::array<char, 128> text_{};
};

inline constexpr ParameterReason unfit_length{
    "n_fft", "no power of two from 256 to 8192, nor 320, 400, 600, 800 or 1200"};

}  // namespace metalmom::gpu
