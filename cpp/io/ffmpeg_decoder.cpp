#include "io/ffmpeg_decoder.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "io/ffmpeg_formats.hpp"
#include "io/ffmpeg_log.hpp"
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

// How ffmpeg may reach its standard input, from which it reads the file: some formats need to seek
// in it (MPEG-4 with its index at the end), so that a pipe does not do.
struct Access {
  const char* protocol;
  const char* input;
};
// Nothing else can be opened so.
constexpr Access by_descriptor{"fd", "fd:"};
// For versions before 6, which have no such protocol.
constexpr Access by_name{"file", "file:/dev/stdin"};

// Whether the ffmpeg of this process turned out to be such a version.
std::atomic<bool> needs_name = false;

// No name of the file ever reaches ffmpeg, which would take "http:..." or "-y" for something else.
std::vector<std::string> arguments(const Access& access, SampleType type) {
  return {"ffmpeg",
          "-nostdin",
          "-hide_banner",
          "-v",
          "warning",
          "-xerror",
          "-protocol_whitelist",
          access.protocol,
          "-format_whitelist",
          ffmpeg_formats,
          "-i",
          access.input,
          "-map",
          "0:a:0",
          "-c:a",
          codec(type),
          "-bitexact",
          "-f",
          "wav",
          "pipe:1"};
}

// The same file with a position of its own, so that the caller's does not move; none where the
// system refuses.
Descriptor opened_again(int descriptor) {
  if (descriptor < 0) return {};
  return Descriptor(
      ::open(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), O_RDONLY | O_CLOEXEC));
}

Descriptor copy_to_memory(Source& source) {
  Descriptor copy(::memfd_create("encoded-audio", MFD_CLOEXEC));
  Buffer<std::byte> block(1 << 18);
  std::int64_t offset = 0;
  while (const auto count = source.read(offset, block.span())) {
    check_interrupt();
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
    input_ = opened_again(source_->descriptor());
    if (!input_) input_ = copy_to_memory(*source_);
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
    process_.reset();
    position_ = 0;
    finished_ = false;
    auto format = begin(needs_name ? by_name : by_descriptor);
    if (!format && process_->errors().starts_with(input_name_ + ": Protocol not found")) {
      needs_name = true;
      format = begin(by_name);
    }
    if (!format || format->rate < 1 || format->channels < 1) {
      process_->wait();
      fail_by_log();
    }
    require_no_objection();
    format_ = *format;
  }

  // Starts ffmpeg at the beginning of the file; what it says it will give, if anything.
  std::optional<Format> begin(const Access& access) {
    input_name_ = access.input;
    ::lseek(input_.get(), 0, SEEK_SET);
    auto started = Process::start(name_, arguments(access, type_), input_.get());
    if (!started) fail_without_ffmpeg();
    process_ = std::make_unique<Process>(std::move(*started));
    return read_header(*process_);
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
    if (!process_->wait()) fail_by_log();
    require_no_objection();
  }

  void require_no_objection() const {
    if (const auto objection = objection_in(process_->errors()); !objection.empty())
      fail(objection);
  }

  std::string described() const {
    return kind_.name.empty() ? name_ : name_ + " (" + std::string(kind_.name) + ")";
  }

  std::string fault() const { return described() + " is damaged or is no audio file"; }

  [[noreturn]] void fail(const std::string& text) const { throw AudioError(fault() + ": " + text); }

  [[noreturn]] void fail_by_log() const {
    const Reason reason = reason_in(process_->errors(), input_name_);
    if (reason.last_line.empty()) fail(reason.known);
    throw AudioError(fault(), ": ffmpeg says: " + reason.last_line);
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
  Descriptor input_;
  std::string input_name_;  // what ffmpeg calls it
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
