// Decoded samples of any format, frame by frame. `open_decoder` asks libsndfile first and hands
// what that cannot read to an ffmpeg process.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "base/view.hpp"
#include "io/source.hpp"

namespace metalmom::io {

enum class SampleType { float32, float64, int16, int32 };

template <class T>
constexpr SampleType sample_type_of() {
  if constexpr (std::is_same_v<T, float>) return SampleType::float32;
  if constexpr (std::is_same_v<T, double>) return SampleType::float64;
  if constexpr (std::is_same_v<T, std::int16_t>) return SampleType::int16;
  if constexpr (std::is_same_v<T, std::int32_t>) return SampleType::int32;
}
constexpr std::size_t size_of(SampleType type) {
  constexpr std::size_t sizes[] = {4, 8, 2, 4};
  return sizes[static_cast<int>(type)];
}

struct Format {
  int rate = 0;
  int channels = 0;
};

class Decoder {
 public:
  virtual ~Decoder() = default;
  const Format& format() const { return format_; }
  // What messages call it: the path, or what the caller said.
  const std::string& name() const { return name_; }

  // The number of frames, where the file says so without decoding it.
  virtual std::optional<Index> frames() const = 0;
  // The number of frames, decoding everything if there is no other way. Call it before reading.
  virtual Index count_frames() = 0;
  // Throws AudioError (librosa's answer is a RuntimeError) where the file ends before `frame`.
  virtual void seek(Index frame) = 0;
  // Interleaved samples of the type the decoder was opened for. Fewer than `count` frames only at
  // the end. Throws AudioError where the data breaks off or cannot be decoded.
  virtual Index read(void* into, Index count) = 0;
  // Another decoder of the same file, from its beginning, for another thread, as long as this one
  // lives; null where the file cannot be entered at any frame with the same samples.
  virtual std::unique_ptr<Decoder> clone() { return nullptr; }

 protected:
  Decoder(std::string name, Format format) : name_(std::move(name)), format_(format) {}
  [[noreturn]] void throw_beyond_end(Index frame, Index end) const;
  std::string seconds(Index frame) const;

  std::string name_;
  Format format_;
};

std::unique_ptr<Decoder> open_decoder(std::unique_ptr<Source> source, const std::string& name,
                                      SampleType type);

}  // namespace metalmom::io
