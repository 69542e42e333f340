#include "io/sndfile_decoder.hpp"

#include <sndfile.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "base/buffer.hpp"
#include "base/error.hpp"
#include "io/sniff.hpp"

namespace metalmom::io {

namespace {

// The source as libsndfile's callbacks see it: with a position, and with room for an exception,
// which must not be thrown through C.
struct Cursor {
  std::unique_ptr<Source> source;
  std::int64_t position = 0;
  std::exception_ptr failure;

  template <class F>
  sf_count_t guard(F&& body) {
    try {
      return body();
    } catch (...) {
      if (!failure) failure = std::current_exception();
      return 0;
    }
  }
  void rethrow() {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }
};

Cursor& cursor(void* user) {
  return *static_cast<Cursor*>(user);
}

sf_count_t get_size(void* user) {
  return cursor(user).guard([&] { return cursor(user).source->size(); });
}

sf_count_t seek(sf_count_t offset, int whence, void* user) {
  Cursor& c = cursor(user);
  return c.guard([&] {
    const std::int64_t from = whence == SEEK_SET   ? 0
                              : whence == SEEK_CUR ? c.position
                                                   : c.source->size();
    // libsndfile goes wherever a header says.
    constexpr std::int64_t furthest = std::int64_t{1} << 62;
    return c.position = std::clamp(offset, -from, furthest - from) + from;
  });
}

sf_count_t read_bytes(void* into, sf_count_t count, void* user) {
  Cursor& c = cursor(user);
  return c.guard([&] {
    const auto bytes = std::span(static_cast<std::byte*>(into), static_cast<std::size_t>(count));
    const auto done = static_cast<std::int64_t>(c.source->read(c.position, bytes));
    c.position += done;
    return done;
  });
}

sf_count_t write_bytes(const void*, sf_count_t, void*) {
  return 0;
}

sf_count_t tell(void* user) {
  return cursor(user).position;
}

struct Close {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using File = std::unique_ptr<SNDFILE, Close>;

// Null where libsndfile does not know the format.
File open(Cursor& from, SF_INFO& info) {
  static SF_VIRTUAL_IO callbacks{get_size, seek, read_bytes, write_bytes, tell};
  File file(sf_open_virtual(&callbacks, SFM_READ, &info, &from));
  from.rethrow();
  if (file) sf_command(file.get(), SFC_SET_CLIPPING, nullptr, SF_TRUE);
  return file;
}

bool holds_vorbis(int format) {
  return (format & SF_FORMAT_TYPEMASK) == SF_FORMAT_OGG &&
         (format & SF_FORMAT_SUBMASK) == SF_FORMAT_VORBIS;
}

// FLAC frames stand alone; a Vorbis block needs the one before it, which libsndfile decodes first.
// Other lossy formats take an unknown number of blocks to forget where they began.
bool enters_anywhere(int format) {
  return holds_vorbis(format) || (format & SF_FORMAT_TYPEMASK) == SF_FORMAT_FLAC;
}

// How many frames more than there are an undamaged file may promise. MP3 headers count whole frames
// of 1152 samples and differ by a few of those. The last page of a Vorbis stream that was cut by a
// tool without decoding it states where the cut was meant to be, up to a block (at most 8192
// samples) after the end of its packets.
Index most_frames_promised(int format) {
  if ((format & SF_FORMAT_TYPEMASK) == SF_FORMAT_MPEG) return 4 * 1152;
  return holds_vorbis(format) ? 8192 : 0;
}

// What libsndfile says of a FLAC stream that does not know its length is above this.
constexpr Index unknown_length = Index{1} << 60;

// How many frames a byte can hold at most. A FLAC frame of constant samples is the densest that
// libsndfile reads: 65,535 of them take 12 bytes.
constexpr Index most_frames_in_a_byte = 8192;

// libsndfile converts 16-bit samples to real ones by single values, which was half of the time of
// loading a WAV file; as shorts it hands them through.
bool holds_shorts(int format) {
  return (format & SF_FORMAT_SUBMASK) == SF_FORMAT_PCM_16 &&
         (format & SF_FORMAT_TYPEMASK) != SF_FORMAT_FLAC;
}

class SndfileDecoder final : public Decoder {
 public:
  SndfileDecoder(std::unique_ptr<Cursor> opened, File file, const SF_INFO& info, std::string name,
                 SampleType type)
      : Decoder(std::move(name), {info.samplerate, info.channels}),
        cursor_(std::move(opened)),
        file_(std::move(file)),
        frames_(info.frames),
        most_promised_(most_frames_promised(info.format)),
        seeks_exactly_(enters_anywhere(info.format)),
        can_seek_(!holds_vorbis(info.format)),
        breaks_off_(metalmom::io::breaks_off(*cursor_->source)),
        type_(type) {
    if (holds_shorts(info.format) && (type == SampleType::float32 || type == SampleType::float64))
      shorts_ = Buffer<short>(static_cast<std::size_t>(shorts_frames * format_.channels));
  }

  // A FLAC stream that was written to a pipe does not know its length. Of an Ogg file that ends
  // before its first page of samples libsndfile 1.2.1 and later say that it has none.
  std::optional<Index> frames() const override {
    if (frames_ < 0 || frames_ >= unknown_length || (frames_ == 0 && breaks_off_))
      return std::nullopt;
    return frames_;
  }

  Index count_frames() override {
    if (const auto known = frames()) return *known;
    constexpr Index block = 1 << 15;
    Buffer<std::byte> scratch(block * static_cast<std::size_t>(format_.channels) * size_of(type_));
    Index total = 0, got = 0;
    while ((got = read(scratch.data(), block)) > 0) total += got;
    frames_ = total;
    reopen();  // to go back in a damaged Opus file, libsndfile may take for ever
    return total;
  }

  void seek(Index frame) override {
    if (const auto known = frames(); known && frame > *known) throw_beyond_end(frame, *known);
    if (!can_seek_) require_samples();
    const auto place = sf_seek(file_.get(), frame, SEEK_SET);
    cursor_->rethrow();
    if (place != frame) fail("libsndfile does not find frame " + std::to_string(frame));
    position_ = frame;
  }

  Index read(void* into, Index count) override {
    const Index got = read_typed(into, count);
    cursor_->rethrow();
    if (sf_error(file_.get()) != SF_ERR_NO_ERROR) fail(sf_strerror(file_.get()));
    position_ += got;
    can_seek_ |= got > 0;
    const auto known = frames();
    if (got < count && known && position_ + most_promised_ < *known) fail("the data breaks off");
    if (breaks_off_ && count > 0 && (got < count || (known && position_ >= *known)))
      fail("its end is missing");
    return got;
  }

  std::unique_ptr<Decoder> clone() override {
    auto source = seeks_exactly_ && !breaks_off_ ? cursor_->source->clone() : nullptr;
    return source ? open_sndfile(source, name_, type_) : nullptr;
  }

 private:
  static constexpr Index shorts_frames = 8192;

  // Shorts as real values, the same as libsndfile's own: -32768 becomes -1.
  template <class T>
  Index read_shorts(T* into, Index count) {
    Index done = 0;
    while (done < count) {
      const Index wanted = std::min(shorts_frames, count - done);
      const Index got = sf_readf_short(file_.get(), shorts_.data(), wanted);
      const Index values = got * format_.channels;
      T* to = into + done * format_.channels;
      for (Index i = 0; i < values; ++i) to[i] = static_cast<T>(shorts_[i]) / T(32768);
      done += got;
      if (got < wanted) break;
    }
    return done;
  }

  Index read_typed(void* into, Index count) {
    if (shorts_.size() > 0)
      return type_ == SampleType::float32 ? read_shorts(static_cast<float*>(into), count)
                                          : read_shorts(static_cast<double*>(into), count);
    switch (type_) {
      case SampleType::float32:
        return sf_readf_float(file_.get(), static_cast<float*>(into), count);
      case SampleType::float64:
        return sf_readf_double(file_.get(), static_cast<double*>(into), count);
      case SampleType::int16:
        return sf_readf_short(file_.get(), static_cast<short*>(into), count);
      default:
        return sf_readf_int(file_.get(), static_cast<int*>(into), count);
    }
  }

  void reopen() {
    file_.reset();
    cursor_->position = 0;
    SF_INFO info{};
    file_ = open(*cursor_, info);
    if (!file_) fail("it cannot be opened a second time");
    position_ = 0;
  }

  // In a Vorbis stream whose tables are damaged libsndfile finds no sample, and crashes where it
  // seeks. It is opened anew, because the samples after a seek depend on those before it.
  void require_samples() {
    Buffer<std::byte> frame(static_cast<std::size_t>(format_.channels) * size_of(type_));
    if (read(frame.data(), 1) < 1) fail("none of its samples can be decoded");
    reopen();
  }

  [[noreturn]] void fail(std::string_view reason) const {
    constexpr std::string_view prefix = "Error : ";
    if (reason.starts_with(prefix)) reason.remove_prefix(prefix.size());
    std::string text = name_ + " is damaged or incomplete after " + seconds(position_) + ": ";
    throw AudioError(text.append(reason));
  }

  std::unique_ptr<Cursor> cursor_;
  File file_;
  Index frames_;
  Index position_ = 0;
  Index most_promised_;
  bool seeks_exactly_, can_seek_, breaks_off_;
  SampleType type_;
  Buffer<short> shorts_;  // what 16-bit files are read through
};

}  // namespace

std::unique_ptr<Decoder> open_sndfile(std::unique_ptr<Source>& source, const std::string& name,
                                      SampleType type) {
  auto opened = std::make_unique<Cursor>();
  opened->source = std::move(source);
  SF_INFO info{};
  File file = open(*opened, info);
  if (!file) {
    source = std::move(opened->source);
    return nullptr;
  }
  if (info.channels < 1 || info.samplerate < 1)
    throw AudioError(name + " has no channels or no sampling rate");
  // Memory is taken for as many frames as a header promises.
  const Index bytes = opened->source->size();
  if (info.frames < unknown_length && info.frames / most_frames_in_a_byte > bytes)
    throw AudioError(name + " is damaged: its header promises " + std::to_string(info.frames) +
                     " samples a channel, which " + std::to_string(bytes) + " bytes cannot hold");
  return std::make_unique<SndfileDecoder>(std::move(opened), std::move(file), info, name, type);
}

}  // namespace metalmom::io
