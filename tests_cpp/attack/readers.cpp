// Attacks what reads the bytes of strangers: decoders by all sources, streams, what ffmpeg writes
// and says, the files of the cache.
//
//     metalmom_attack FIRST COUNT FOLDER FILE...
//
// Makes COUNT inputs of the FILEs. The seed of each, FIRST and those after it, decides all of it,
// so that the same command with that seed and COUNT 1 repeats a try. Before each try its seed is in
// FOLDER/seed and its bytes are in FOLDER/given: a crash leaves them there. One try may last a
// minute.
//
// What must hold: samples or an exception of the engine; the same samples, or an exception,
// whichever source the bytes come from and however many are asked for at once; no memory of
// gigabytes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attack/mutations.hpp"
#include "base/byte_text.hpp"
#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "base/workers.hpp"
#include "gpu/vk/disk_cache.hpp"
#include "io/ffmpeg_log.hpp"
#include "io/load.hpp"

namespace metalmom::attack {
namespace {

constexpr unsigned limit = 60;          // seconds
constexpr Index most_values = 1 << 26;  // of a result; more is more memory than there is

[[noreturn]] void fault(const std::string& text) {
  std::fprintf(stderr, "fault: %s\n", text.c_str());
  std::abort();
}

struct Folder {
  std::string path;
  Descriptor seed, given;
  std::string at(const std::string& name) const { return path + "/" + name; }
};

void write(const Descriptor& into, std::span<const std::byte> bytes) {
  if (::ftruncate(into.get(), 0) != 0 ||
      ::pwrite(into.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    fault("FOLDER cannot be written");
}

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Bytes content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return bytes_of(std::string{std::istreambuf_iterator<char>(stream), {}});
}

// A file that another program changes while it is read: it ends earlier, or holds other bytes.
class Changing final : public io::Source {
 public:
  Changing(std::span<const std::byte> bytes, Draw& draw)
      : bytes_(io::from_memory(bytes)), draw_(draw) {}
  std::size_t read(std::int64_t offset, std::span<std::byte> into) override {
    std::size_t count = bytes_->read(offset, into);
    if (count > 0 && draw_.chance(0.1)) count = draw_.below(count + 1);
    if (count > 0 && draw_.chance(0.1)) into[draw_.below(count)] = draw_.any_byte();
    return count;
  }
  std::int64_t size() override { return bytes_->size(); }

 private:
  std::unique_ptr<io::Source> bytes_;
  Draw& draw_;
};

template <class T>
struct Outcome {
  std::vector<T> samples;
  std::string error;  // of an exception of the engine
};

template <class T, class Body>
Outcome<T> outcome_of(Body&& body) {
  Outcome<T> outcome;
  try {
    body(outcome.samples);
  } catch (const AudioError& error) {
    outcome.error = error.what();
    if (outcome.error.empty()) fault("an error without a text");
  } catch (const ParameterError& error) {
    outcome.error = error.what();
  } catch (const std::bad_alloc&) {
    outcome.error = "no memory";
  }
  return outcome;
}

template <class T>
io::Stream<T> stream_of(std::unique_ptr<io::Source> source, const io::Request& request) {
  return io::Stream<T>(io::open_decoder(std::move(source), "given", io::sample_type_of<T>()),
                       request);
}

template <class T>
Outcome<T> whole(std::unique_ptr<io::Source> source, const io::Request& request) {
  return outcome_of<T>([&](std::vector<T>& samples) {
    auto stream = stream_of<T>(std::move(source), request);
    const Index width = Index{stream.rows()} * stream.width();
    Index room = 0;
    const Index length = io::read_all(stream, [&](Index count) {
      if (count > most_values / width) throw std::bad_alloc();
      room = count;
      samples.resize(static_cast<std::size_t>(count * width));
      return samples.data();
    });
    if (length < 0 || length > room)
      fault(std::to_string(length) + " samples of " + std::to_string(room));
    // Rows lie apart by what was allocated.
    for (Index row = 1; row < stream.rows(); ++row)
      std::copy_n(samples.begin() + row * room, length, samples.begin() + row * length);
    samples.resize(static_cast<std::size_t>(length * width));
  });
}

template <class T>
Outcome<T> in_blocks(std::unique_ptr<io::Source> source, io::Request request, Index size) {
  return outcome_of<T>([&](std::vector<T>& samples) {
    request.all_at_once = false;
    auto stream = stream_of<T>(std::move(source), request);
    const auto rows = static_cast<std::size_t>(stream.rows());
    const auto width = static_cast<std::size_t>(stream.width());
    size = std::min(size, most_values / 64 / static_cast<Index>(rows * width));
    std::vector<std::vector<T>> parts(rows);
    std::vector<T> block(static_cast<std::size_t>(size) * rows * width);
    for (Index got = size; got == size;) {
      got = stream.read(block.data(), size, size);
      if (got < 0 || got > size) fault(std::to_string(got) + " samples of " + std::to_string(size));
      for (std::size_t row = 0; row < rows; ++row) {
        const auto from = block.begin() + static_cast<std::ptrdiff_t>(row) * size;
        parts[row].insert(parts[row].end(), from, from + got * stream.width());
      }
      if (static_cast<Index>(parts[0].size() * rows) > most_values) throw std::bad_alloc();
    }
    for (const auto& part : parts) samples.insert(samples.end(), part.begin(), part.end());
  });
}

io::Request request_of(Draw& draw) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr std::array offsets{
      0.0, 0.0, 0.0, 0.0, 0.01, -0.01, 5.0, -1e9, 1e18, std::numeric_limits<double>::quiet_NaN()};
  static constexpr std::array durations{0.05, 0.0, 100.0, -1.0, 1e18, infinity};
  static constexpr std::array rates{22050.0, 8000.0, 8001.0, 44100.0, 1.0, 0.0, infinity};
  io::Request request;
  request.offset = draw.one(offsets);
  if (draw.chance(0.3)) request.duration = draw.one(durations);
  request.mono = draw.chance(0.5);
  if (draw.chance(0.1)) {
    request.rate = draw.one(rates);
    request.quality = static_cast<dsp::Quality>(draw.below(5));
  }
  request.whole = draw.chance(0.8);
  return request;
}

struct Counts {
  std::uint64_t inputs = 0, decoded = 0, refused = 0;
};

template <class T>
void decode(Draw& draw, std::span<const std::byte> bytes, const Folder& folder, Counts& counts) {
  const io::Request request = request_of(draw);
  const ThreadsScope threads(draw.chance(0.1) ? 2 : 1);
  if (draw.chance(0.1)) {
    whole<T>(std::make_unique<Changing>(bytes, draw), request);
    return;
  }
  const Outcome<T> first = whole<T>(io::from_memory(bytes), request);
  ++(!first.error.empty() ? counts.refused : counts.decoded);
  if (draw.chance(0.5)) return;
  auto source = draw.chance(0.5) ? io::open_file(folder.at("given")) : io::from_memory(bytes);
  static constexpr std::array<Index, 6> sizes{1, 7, 64, 1000, 40000, 100000};
  // Under AddressSanitizer libsoxr copies its buffers at each block: a million of them last
  // minutes.
  const Index least = request.rate && first.samples.size() > 100'000 ? 64 : 1;
  const Outcome<T> second =
      draw.chance(0.5) ? whole<T>(std::move(source), request)
                       : in_blocks<T>(std::move(source), request, std::max(draw.one(sizes), least));
  if (first.error.empty() != second.error.empty())
    fault("one way of reading alone fails: " + first.error + second.error);
  if (!first.error.empty()) return;
  if (first.samples.size() != second.samples.size())
    fault(std::to_string(first.samples.size()) + " samples one way, and " +
          std::to_string(second.samples.size()) + " another");
  if (!first.samples.empty() && std::memcmp(first.samples.data(), second.samples.data(),
                                            first.samples.size() * sizeof(T)) != 0)
    fault("other samples by another way of reading");
}

void decode_any(Draw& draw, std::span<const std::byte> bytes, const Folder& folder,
                Counts& counts) {
  switch (draw.below(6)) {
    case 0:
      return decode<double>(draw, bytes, folder, counts);
    case 1:
      return decode<std::int16_t>(draw, bytes, folder, counts);
    case 2:
      return decode<std::int32_t>(draw, bytes, folder, counts);
    default:
      return decode<float>(draw, bytes, folder, counts);
  }
}

// What ffmpeg says of a file is a stranger's text, too: it quotes tags.
void read_log(Draw& draw, const std::vector<Bytes>& files) {
  static const std::vector<Bytes> logs{
      bytes_of("[mov,mp4 @ 0x55d0] moov atom not found\nfd:: Invalid data found when processing "
               "input\n"),
      bytes_of("[hls @ 0x1] URL /etc/passwd is not on whitelist 'wav'\n"),
      bytes_of("[mp3 @ 0x2] Format mp3 misdetection possible!\n"),
      bytes_of("Error opening input: End of file\nError opening input files: End of file\n")};
  const Bytes log = mutated(draw, draw.one(logs), draw.chance(0.5) ? logs : files);
  const std::string text(reinterpret_cast<const char*>(log.data()), log.size());
  io::objection_in(text);
  const io::Reason reason = io::reason_in(text, draw.chance(0.5) ? "fd:" : "");
  if (reason.known.empty() == reason.last_line.empty()) fault("a log gives no reason, or two");
  bytes_of_text(text);
}

// A file of the cache that has been damaged: its content as it was, or nothing.
void read_cache(Draw& draw, const Folder& folder, const std::vector<Bytes>& files) {
  const Bytes content = draw.one(files);
  gpu::store_cached("kept", content);
  const Bytes changed = mutated(draw, content_of(folder.at("cache/kept")), files);
  const Descriptor file(::open(folder.at("cache/kept").c_str(), O_WRONLY | O_CLOEXEC));
  write(file, changed);
  const Bytes loaded = gpu::load_cached("kept");
  if (!loaded.empty() && loaded != content)
    fault("a damaged file of the cache is taken for a whole one");
}

void attempt(std::uint64_t seed, const Folder& folder, const std::vector<Bytes>& files,
             Counts& counts) {
  Draw draw(seed);
  const std::size_t what = draw.below(1000);
  // An ffmpeg whose output is what a stranger wants: it leaves out four bytes, which no format has.
  const bool by_process = what < 5;
  Bytes bytes = draw.chance(0.02) ? draw.one(files) : mutated(draw, draw.one(files), files);
  if (draw.chance(0.5)) seal_ogg_pages(bytes);
  if (by_process) bytes.insert(bytes.begin(), 4, std::byte{'?'});
  write(folder.seed, bytes_of(std::to_string(seed)));
  write(folder.given, bytes);
  ::alarm(limit);
  ::setenv("PATH", by_process ? folder.at("programs").c_str() : "", 1);
  if (what >= 5 && what < 20)
    read_log(draw, files);
  else if (what >= 20 && what < 30)
    read_cache(draw, folder, files);
  else
    decode_any(draw, bytes, folder, counts);
  ++counts.inputs;
}

int run(std::span<char*> arguments) {
  if (arguments.size() < 5) {
    std::fprintf(stderr, "usage: %s FIRST COUNT FOLDER FILE...\n", arguments[0]);
    return 2;
  }
  const auto first = std::strtoull(arguments[1], nullptr, 10);
  const auto count = std::strtoull(arguments[2], nullptr, 10);
  Folder folder{std::filesystem::absolute(arguments[3]).string(), {}, {}};
  std::filesystem::create_directories(folder.at("programs"));
  constexpr int flags = O_RDWR | O_CREAT | O_CLOEXEC;
  folder.seed = Descriptor(::open(folder.at("seed").c_str(), flags, 0600));
  folder.given = Descriptor(::open(folder.at("given").c_str(), flags, 0600));
  std::ofstream(folder.at("programs/ffmpeg")) << "#!/bin/sh\nexec /usr/bin/tail -c +5\n";
  ::chmod(folder.at("programs/ffmpeg").c_str(), 0700);
  ::setenv("METALMOM_CACHE_DIR", folder.at("cache").c_str(), 1);
  std::vector<Bytes> files;
  for (const char* path : arguments.subspan(4)) {
    files.push_back(content_of(path));
    if (files.back().empty()) fault(std::string(path) + " is empty");
  }
  Counts counts;
  for (std::uint64_t seed = first; seed < first + count; ++seed)
    attempt(seed, folder, files, counts);
  std::printf("%llu inputs, %llu decoded, %llu refused\n",
              static_cast<unsigned long long>(counts.inputs),
              static_cast<unsigned long long>(counts.decoded),
              static_cast<unsigned long long>(counts.refused));
  return 0;
}

}  // namespace
}  // namespace metalmom::attack

int main(int count, char** arguments) {
  return metalmom::attack::run({arguments, static_cast<std::size_t>(count)});
}
