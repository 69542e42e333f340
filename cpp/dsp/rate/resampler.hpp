// Resampling through libsoxr, streaming: any division of the input into blocks gives the same bits
// as one call.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "base/fields.hpp"
#include "base/index.hpp"

namespace metalmom::dsp {

enum class Quality { quick, low, medium, high, very_high };

struct DeleteResampler {
  void operator()(void* resampler) const;
};

// One channel. T is float or double: the type of the samples; libsoxr calculates in float but for
// soxr_vhq. A build without libsoxr (METALMOM_IO=OFF) throws an AudioError here.
template <class T>
class Resampler {
 public:
  // Samples are multiplied by `scale`, a power of two, on their way to libsoxr, and what comes back
  // is divided by it: see scale_of.
  Resampler(double from_rate, double to_rate, Quality quality, T scale = 1);

  struct Progress {
    Index used, made;
  };
  // Takes samples and gives what is ready, as far as there is room.
  Progress process(const T* in, Index count, T* out, Index room);
  // Gives what is left after the last input. To be called until it returns less than `room`.
  Index flush(T* out, Index room);

 private:
  // Null for `in`: there is no more.
  Progress step(const T* in, Index count, T* out, Index room);

  std::unique_ptr<void, DeleteResampler> resampler_;  // a soxr_t
  T scale_;
};

// The scale at which libsoxr's floats hold samples and their sums; 1 where they do as they are, or
// where it calculates in double.
template <class T>
T scale_of(const T* samples, Index count, Quality quality);

// Throws where libsoxr could not go from one rate to the other: ratios beyond 2^15 take it
// gigabytes, go round in circles or end in a crash. `name` is the caller's word for the new rate,
// `origin` describes the old one.
void require_rates(double from_rate, double to_rate, std::string_view name,
                   std::string_view origin);

// ceil(count * to / from), computed as librosa computes the length of a resampled signal.
Index resampled_length(Index count, double from_rate, double to_rate);

// Of these libsoxr makes so many, the nearest whole number; zeros follow.
Index made_length(Index count, double from_rate, double to_rate);

// Resamples a whole signal; where `out` is longer than the result it is filled with zeros. Returns
// the number of samples that libsoxr gave, at most `room`.
template <class T>
Index resample_signal(const T* in, Index count, double from_rate, double to_rate, Quality quality,
                      T* out, Index room);

}  // namespace metalmom::dsp

namespace metalmom {

template <>
struct EnumNames<dsp::Quality> {
  static constexpr std::array<std::string_view, 5> value = {"soxr_qq", "soxr_lq", "soxr_mq",
                                                            "soxr_hq", "soxr_vhq"};
};

}  // namespace metalmom
