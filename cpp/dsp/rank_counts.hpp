// Order statistics of values that lie in many places: counted by their leading bits, so that only the
// values of one cell need be brought together and sorted. Counts of parts add up to those of the whole.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/view.hpp"

namespace metalmom::dsp {

template <class T>
class RankCounts {
 public:
  // Cells ascend with the values: sign, exponent, and of a float the first bit of the fraction. NaN
  // is above (or, with a sign, below) everything.
  static Index cell(T value) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
    const auto bits = std::bit_cast<Bits>(value);
    return static_cast<Index>((bits & sign ? ~bits : bits | sign) >> (8 * sizeof(T) - n_bits));
  }

  void add(T value) { ++counts_[static_cast<std::size_t>(cell(value))]; }
  void add(const RankCounts& part) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += part.counts_[i];
  }

  // Where the value of a rank is (0: the smallest): its cell, and the number of values in lower cells.
  struct Place {
    Index cell, before;
  };
  Place place(Index rank) const {
    Place at{0, 0};
    while (at.before + counts_[static_cast<std::size_t>(at.cell)] <= rank)
      at.before += counts_[static_cast<std::size_t>(at.cell++)];
    return at;
  }

 private:
  static constexpr int n_bits = sizeof(T) == 4 ? 10 : 12;
  std::vector<Index> counts_ = std::vector<Index>(std::size_t{1} << n_bits, 0);
};

}  // namespace metalmom::dsp
