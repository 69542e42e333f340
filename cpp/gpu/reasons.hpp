// Why a kernel declines a plan, where a parameter is the cause, so that an error can name it.
#pragma once

#include <string_view>

    namespace metalmom::gpu {

struct ParameterReason {
  const char* said;  // `name is rule`
  std::string_view name;
  constexpr std::string_view rule() const { return std::string_view(said).substr(name.size() + 4); }
};

inline constexpr ParameterReason unfit_length{"n_fft is no power of two from 256 to 8192", "n_fft"};

}  // namespace metalmom::gpu
