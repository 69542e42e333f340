// Shapes of a magnitude spectrum as single numbers, for 16 frames in lane layout at a time.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "base/fields.hpp"
#include "base/view.hpp"
#include "dsp/defaults.hpp"

namespace metalmom::dsp {

enum class Shape { centroid, bandwidth, rolloff, flatness };

struct ShapeParams {
  Shape shape = Shape::centroid;
  double p = 2;                  // bandwidth: exponent of the deviation
  bool norm = true;              // bandwidth: of the spectrum scaled to unit sum
  double roll_percent = 0.85;    // rolloff: share of the sum below
  double amin = defaults::amin;  // flatness: floor of the power
  double power = 2;              // flatness: exponent of the magnitude

  static constexpr auto fields() {
    return field_list(field("shape", &ShapeParams::shape),
                      field("p", &ShapeParams::p, strictly_positive),
                      field("norm", &ShapeParams::norm),
                      field("roll_percent", &ShapeParams::roll_percent,
                            Range{1e-300, 1 - 0x1p-53, "between 0 and 1"}),
                      field("amin", &ShapeParams::amin, strictly_positive),
                      field("power", &ShapeParams::power, strictly_positive));
  }
};

// The shape of `count` frames. `lanes`: n_bins * 16 magnitudes; `freq`: the frequency of each bin
// in Hz (not read for flatness); `centroid`: that of each frame, for bandwidth; null: computed
// here.
template <class T>
void spectral_shape(const ShapeParams& params, std::span<const double> freq, const T* lanes,
                    Index count, const double* centroid, double* out);

// Means of the `n_tail` smallest and of the `n_tail` greatest of rows [first, last) in each lane.
template <class T>
void spectral_tails(const T* lanes, Index first, Index last, Index n_tail, T* sorted, double* low,
                    double* high);

// Makes both means NaN in the lanes in which a row is NaN, since sorting cannot place it.
template <class T>
void pass_on_nan(const T* lanes, Index first, Index last, double* low, double* high);

}  // namespace metalmom::dsp

namespace metalmom {

template <>
struct EnumNames<dsp::Shape> {
  static constexpr std::array<std::string_view, 4> value = {"centroid", "bandwidth", "rolloff",
                                                            "flatness"};
};

}  // namespace metalmom
