// Discrete cosine transforms as small matrices: for 13 of 128 coefficients a product over lanes
// (apply_bands) beats any fast transform.
#pragma once

#include <array>
#include <string_view>

#include "base/buffer.hpp"
#include "base/fields.hpp"
#include "base/view.hpp"

namespace metalmom::dsp {

// Scaling as in scipy.fft.dct; `backward` is its norm=None.
enum class DctNorm { backward, ortho, forward };

// The first n_out rows of the DCT matrix of type 1 to 4 and size n_in (type 1: n_in >= 2),
// row-major (n_out, n_in).
Buffer<double> dct_matrix(int type, DctNorm norm, Index n_in, Index n_out);

}  // namespace metalmom::dsp

namespace metalmom {

template <>
struct EnumNames<dsp::DctNorm> {
  static constexpr std::array<std::string_view, 3> value = {"backward", "ortho", "forward"};
};

}  // namespace metalmom
