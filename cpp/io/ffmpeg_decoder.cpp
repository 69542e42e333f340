#include "io/ffmpeg_decoder.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <sstream>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "io/process.hpp"

namespace metalmom::io {

namespace {

const char* codec(SampleType type) {
  switch (type) {
    case SampleType::float32:
      return "pcm_f32le";
    case SampleType::float64:
      return "pcm_f64le";
    case SampleType::int16:
      return "pcm_s16le";
    default:
      return "pcm_s32le";
  }
}

// ffmpeg reads the file from its standard input, reopened as a file because some formats need to
// seek (MPEG-4 with its index at the end). So no name ever reaches ffmpeg, which would take
// "http:..." or "-y" for something else than a file.
std::vector<std::string> arguments(SampleType type) {
  return {"ffmpeg",
          "-nostdin",
          "-hide_banner",
          "-v",
          "warning",
          "-xerror",
          "-protocol_whitelist",
          "file",
          "-i",
          "file:/dev/stdin",
          "-map",
          "0:a:0",
          "-c:a",
          codec(type),
          "-bitexact",
          "-f",
          "wav",
          "pipe:1"};
}

Descriptor copy_to_memory(Source& source) {
  Descriptor copy(::memfd_create("encoded-audio", MFD_CLOEXEC));
  Buffer<std::byte> block(1 << 18);
  std::int64_t offset = 0;
  while (const auto count = source.read(offset, block.span())) {
    for (std::size_t done = 0; done < count;) {
      const auto written = ::pwrite(copy.get(), block.data() + done, count - done,
                                    offset + static_cast<std::int64_t>(done));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw std::bad_alloc();
      done += static_cast<std::size_t>(written);
    }
    offset += static_cast<std::int64_t>(count);
  }
  return copy;
}

std::uint32_t little_endian(const std::byte* bytes, int count) {
  std::uint32_t value = 0;
  for (int i = 0; i < count; ++i) value |= std::to_integer<std::uint32_t>(bytes[i]) << (8 * i);
  return value;
}

// The WAVE header that ffmpeg writes before the samples: the one place where it says their rate
// and channels. Nothing where there is no header.
std::optional<Format> read_header(Process& process) {
  std::array<std::byte, 64> bytes;
  const auto read = [&](std::size_t count) {
    return process.read(std::span(bytes).first(count)) == count;
  };
  if (!read(12) || std::memcmp(bytes.data(), "RIFF", 4) != 0) return std::nullopt;
  Format format;
  while (read(8)) {
    if (std::memcmp(bytes.data(), "data", 4) == 0) return format;
    const bool is_format = std::memcmp(bytes.data(), "fmt ", 4) == 0;
    for (std::size_t left = little_endian(bytes.data() + 4, 4); left > 0;) {
      const auto part = std::min(left, bytes.size());
      if (!read(part)) return std::nullopt;
      if (is_format && part >= 8 && format.rate == 0) {
        format.channels = static_cast<int>(little_endian(bytes.data() + 2, 2));
        format.rate = static_cast<int>(little_endian(bytes.data() + 4, 4));
      }
      left -= part;
    }
  }
  return std::nullopt;
}

class FfmpegDecoder final : public Decoder {
 public:
  FfmpegDecoder(std::unique_ptr<Source> source, std::string name, const Kind& kind, SampleType type)
      : Decoder(std::move(name), {}), source_(std::move(source)), kind_(kind), type_(type) {
    if (source_->descriptor() < 0) copy_ = copy_to_memory(*source_);
    restart();
  }

  std::optional<Index> frames() const override { return frames_; }

  Index count_frames() override {
    if (!frames_) {
      skip_to(std::numeric_limits<Index>::max());
      frames_ = position_;
      restart();
    }
    return *frames_;
  }

  // Decodes everything before `frame`, because ffmpeg's own seeking lands on packets, not on
  // samples.
  void seek(Index frame) override {
    if (frame < position_) restart();
    skip_to(frame);
    if (position_ < frame) throw_beyond_end(frame, position_);
  }

  Index read(void* into, Index count) override {
    const auto frame_bytes = static_cast<std::size_t>(format_.channels) * size_of(type_);
    const auto wanted = static_cast<std::size_t>(count) * frame_bytes;
    const auto got = process_->read({static_cast<std::byte*>(into), wanted});
    position_ += static_cast<Index>(got / frame_bytes);
    if (got < wanted) finish();
    return static_cast<Index>(got / frame_bytes);
  }

 private:
  void restart() {
    const int input = copy_ ? copy_.get() : source_->descriptor();
    process_.reset();
    position_ = 0;
    finished_ = false;
    auto started = Process::start(name_, arguments(type_), input);
    if (!started) fail_without_ffmpeg();
    process_ = std::make_unique<Process>(std::move(*started));
    const auto format = read_header(*process_);
    if (!format || format->rate < 1 || format->channels < 1) {
      process_->wait();
      fail(reason());
    }
    // ffmpeg takes almost anything for MP3 when nothing else fits, and plays it as noise.
    if (process_->errors().find("misdetection possible") != std::string::npos)
      fail("no known audio format");
    format_ = *format;
  }

  void skip_to(Index frame) {
    const auto frame_bytes = static_cast<std::size_t>(format_.channels) * size_of(type_);
    constexpr Index block = 1 << 15;
    Buffer<std::byte> scratch(block * frame_bytes);
    while (position_ < frame) {
      const Index count = std::min(block, frame - position_);
      if (read(scratch.data(), count) < count) return;
    }
  }

  void finish() {
    if (std::exchange(finished_, true)) return;
    if (!process_->wait()) fail(reason());
  }

  // The last line that does not merely repeat the name ffmpeg knows the file by, without the
  // component and address that ffmpeg puts before it.
  std::string reason() const {
    constexpr std::string_view own = "file:/dev/stdin: ";
    std::istringstream log(process_->errors());
    std::string text, verdict;
    for (std::string line; std::getline(log, line);) {
      if (line.starts_with(own))
        verdict = line.substr(own.size());
      else if (!line.empty())
        text = line;
    }
    if (text.starts_with('[')) text.erase(0, text.find("] ") + 2);
    if (text.empty()) text = verdict;
    return text.empty() ? "ffmpeg failed" : "ffmpeg says: " + text;
  }

  std::string described() const {
    return kind_.name.empty() ? name_ : name_ + " (" + std::string(kind_.name) + ")";
  }

  [[noreturn]] void fail(const std::string& text) const {
    throw AudioError(described() + " is damaged or is no audio file: " + text);
  }

  [[noreturn]] void fail_without_ffmpeg() const {
    if (kind_.name.empty())
      throw AudioError(name_ +
                       " is no audio file that libsndfile can read, and there is no ffmpeg"
                       " on the PATH to try: install ffmpeg if it is one");
    throw AudioError(described() +
                     " cannot be read by libsndfile: install ffmpeg, which decodes it");
  }

  std::unique_ptr<Source> source_;
  Descriptor copy_;
  Kind kind_;
  SampleType type_;
  std::unique_ptr<Process> process_;
  std::optional<Index> frames_;
  Index position_ = 0;
  bool finished_ = false;
};

}  // namespace

std::unique_ptr<Decoder> open_ffmpeg(std::unique_ptr<Source> source, const std::string& name,
                                     const Kind& kind, SampleType type) {
  return std::make_unique<FfmpegDecoder>(std::move(source), name, kind, type);
}

}  // namespace metalmom::io
