// Resampling through libsoxr, streaming: any division of the input into blocks gives the same bits
// as one call.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "base/view.hpp"

namespace metalmom::io {

enum class Quality { quick, low, medium, high, very_high };

// "soxr_qq", "soxr_lq", "soxr_mq", "soxr_hq", "soxr_vhq".
std::optional<Quality> quality_named(std::string_view name);

struct DeleteResampler {
  void operator()(void* resampler) const;
};

// One channel. T is float or double: the type of the samples; libsoxr calculates in float but for
// soxr_vhq.
template <class T>
class Resampler {
 public:
  Resampler(double from_rate, double to_rate, Quality quality);

  struct Progress {
    Index used, made;
  };
  // Takes samples and gives what is ready, as far as there is room.
  Progress process(const T* in, Index count, T* out, Index room);
  // What is left after the last input, in as many calls as it takes to return less than `room`.
  Index flush(T* out, Index room);

 private:
  std::unique_ptr<void, DeleteResampler> resampler_;  // a soxr_t
};

// ceil(count * to / from), computed as librosa computes the length of a resampled signal.
Index resampled_length(Index count, double from_rate, double to_rate);

// Every row of `in`; rows of `out` that are longer than the result end in zeros. Rows are shared
// among threads. Returns the number of samples that libsoxr gave for a row.
template <class T>
Index resample(View<const T> in, double from_rate, double to_rate, Quality quality, View<T> out);

}  // namespace metalmom::io
