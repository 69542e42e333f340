// Order statistics (medians, quantiles) of values that lie in many arrays. Values are counted by
// their leading bits; then only the values of one cell must be collected and sorted. Counts of
// parts can be added up.
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
  // The number of a value's cell. It rises with the value: sign, exponent, and of a float the first
  // bit of the fraction. NaN is above everything, or below it if its sign is set.
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

  // The cell that holds the value of a rank (0: the smallest), and how many values lower cells
  // have.
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
