// From a decoder to the samples a caller wants: an excerpt, mixed to mono, resampled; block by
// block, so that the decoded file is never in memory as a whole.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/buffer.hpp"
#include "dsp/rate/resampler.hpp"
#include "io/decoder.hpp"

namespace metalmom::io {

struct Request {
  double offset = 0;                    // seconds; negative counts from the end
  std::optional<double> duration = {};  // seconds; nothing or negative: to the end
  bool mono = true;
  std::optional<double> rate = {};  // nothing: the file's own
  dsp::Quality quality = dsp::Quality::high;
  bool all_at_once = true;  // the caller reads to the end at once, so threads may decode ahead
  // Resampled to the next larger whole number of samples, as `load` gives: of libsoxr it is the
  // nearest one, and a zero may follow.
  bool whole = true;
};

// T is float or double, or an integer type for samples as they are (no mixing, no resampling).
template <class T>
class Stream {
 public:
  Stream(std::unique_ptr<Decoder> decoder, const Request& request);

  const Format& format() const { return decoder_->format(); }
  // Rows of the array that `read` fills. As decoded, the samples of several channels are
  // interleaved in one row; after resampling each channel has a row. librosa's arrays have the same
  // layout.
  int rows() const { return rows_; }
  int width() const { return width_; }
  // Samples per channel in all, where the file says how long it is.
  std::optional<Index> length() const;

  // The next `count` samples of every channel; row r starts at out + r * stride. Fewer only at the
  // end.
  Index read(T* out, Index stride, Index count);

 private:
  static constexpr Index block = 1 << 15;

  Index decode(T* frames, Index count);
  Index read_native(T* out, Index count);
  Index read_resampled(T* out, Index stride, Index count);
  Index fill_up(T* out, Index stride, Index count, Index made);
  void refill();
  void arrange(Index count, T* out, Index stride);
  Index samples_of(Index frames) const;
  // Samples per channel that belong to the frames decoded so far.
  Index length_so_far() const;

  std::unique_ptr<Decoder> decoder_;
  int channels_, rows_, width_;
  bool mix_, check_finite_, whole_, ended_ = false;
  double to_rate_;
  std::optional<Index> total_;  // frames of the excerpt, where the file says so
  Index left_;                  // frames still to decode, at most
  Index decoded_ = 0, resampled_ = 0;
  std::vector<dsp::Resampler<T>> resamplers_;  // one for each row; none at the file's own rate
  Buffer<T> frames_, input_;                   // a decoded block; the resamplers' input, row by row
  Index first_ = 0, last_ = 0;                 // the part of input_ that waits for the resamplers
};

}  // namespace metalmom::io
