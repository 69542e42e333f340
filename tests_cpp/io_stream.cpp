#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <span>

#include "base/error.hpp"
#include "dsp/rate/resampler.hpp"
#include "io/load.hpp"
#include "io/sniff.hpp"
#include "io_support.hpp"

namespace metalmom::io {
namespace {

using testing::Bytes;

struct Loaded {
  std::vector<float> samples;
  Index length = 0;
  int rows = 0, width = 0;
};

Loaded load(const Bytes& bytes, const Request& request) {
  Stream<float> stream(open_decoder(from_memory(bytes), "test", SampleType::float32), request);
  Loaded result{{}, 0, stream.rows(), stream.width()};
  result.length = read_all(stream, [&](Index samples) {
    result.samples.resize(static_cast<std::size_t>(samples * stream.rows() * stream.width()));
    return result.samples.data();
  });
  return result;
}

#if METALMOM_IO_BUILT

TEST(Stream, KeepsSamplesInterleavedAsDecoded) {
  const auto samples = testing::sines(1000, 3, 8000);
  const auto loaded = load(testing::wave_file(samples, 3, 8000), {.mono = false, .rate = {}});
  EXPECT_EQ(loaded.samples, samples);
  EXPECT_EQ(loaded.length, 1000);
  EXPECT_EQ(loaded.width, 3);
}

TEST(Stream, MixesToTheMeanOfChannels) {
  const auto samples = testing::sines(70000, 2, 8000);  // more than two blocks
  const auto loaded = load(testing::wave_file(samples, 2, 8000), {.rate = {}});
  ASSERT_EQ(loaded.samples.size(), 70000u);
  for (std::size_t i = 0; i < loaded.samples.size(); ++i)
    ASSERT_EQ(loaded.samples[i], (samples[2 * i] + samples[2 * i + 1]) / 2) << i;
}

TEST(Stream, CutsAnExcerptToTheSample) {
  std::vector<float> ramp(16000);
  for (std::size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i) / 16384;
  const Bytes file = testing::wave_file(ramp, 1, 8000);
  const auto middle = load(file, {.offset = 0.50013, .duration = 0.25, .rate = {}});
  EXPECT_EQ(middle.length, 2000);
  EXPECT_EQ(middle.samples.front(), ramp[4001]);
  const auto end = load(file, {.offset = -0.5, .rate = {}});
  EXPECT_EQ(end.length, 4000);
  EXPECT_EQ(end.samples.back(), ramp.back());
  EXPECT_EQ(load(file, {.offset = 2.0, .rate = {}}).length, 0);
  EXPECT_THROW(load(file, {.offset = 2.1, .rate = {}}), AudioError);
  EXPECT_THROW(load(file, {.offset = -2.1, .rate = {}}), AudioError);
  EXPECT_THROW(load(file, {.offset = std::nan(""), .rate = {}}), ParameterError);
}

TEST(Stream, ResamplesInBlocksAsInOneCall) {
  const auto samples = testing::sines(100000, 2, 44100);
  const auto whole = load(testing::wave_file(samples, 2, 44100), {.mono = false, .rate = 22050});
  ASSERT_EQ(whole.rows, 2);
  ASSERT_EQ(whole.length, 50000);
  std::vector<float> rows(samples.size()), expected(100000);
  for (std::size_t i = 0; i < 100000; ++i)
    for (std::size_t c = 0; c < 2; ++c) rows[c * 100000 + i] = samples[2 * i + c];
  for (std::size_t c = 0; c < 2; ++c)
    dsp::resample_signal(rows.data() + c * 100000, 100000, 44100, 22050, dsp::Quality::high,
                         expected.data() + c * 50000, 50000);
  EXPECT_EQ(whole.samples, expected);
}

TEST(Stream, GivesTheSameSamplesWhateverIsAskedForAtOnce) {
  const Bytes file = testing::wave_file(testing::sines(90000, 1, 44100), 1, 44100);
  const auto whole = load(file, {.rate = 16000});
  const auto in_parts = [&](const Request& request, Index size) {
    Stream<float> stream(open_decoder(from_memory(file), "test", SampleType::float32), request);
    std::vector<float> all, part(static_cast<std::size_t>(size));
    for (Index got = size; got == size;) {
      got = stream.read(part.data(), size, size);
      all.insert(all.end(), part.begin(), part.begin() + got);
    }
    return all;
  };
  ASSERT_EQ(whole.length, 32654);  // 32653.06, rounded up: the last one is a zero
  for (const Index size : {777, 32653, 32654, 40000})
    EXPECT_EQ(in_parts({.rate = 16000}, size), whole.samples) << size;
  auto resampled = in_parts({.rate = 16000, .whole = false}, 777);
  ASSERT_EQ(resampled.size(), 32653u);
  resampled.push_back(0);
  EXPECT_EQ(resampled, whole.samples);
}

TEST(Stream, RefusesSamplesThatAreNotFinite) {
  auto samples = testing::sines(1000, 2, 8000);
  samples[1500] = std::numeric_limits<float>::infinity();
  const Bytes file = testing::wave_file(samples, 2, 8000);
  EXPECT_THROW(load(file, {.rate = {}}), ParameterError);
  EXPECT_EQ(load(file, {.mono = false, .rate = {}}).length, 1000);  // as they are
}

TEST(Stream, SaysWhereAFileBreaksOff) {
  Bytes file = testing::wave_file(testing::sines(8000, 1, 8000), 1, 8000);
  file.resize(44 + 4000 * 4);
  try {
    load(file, {.rate = {}});
    FAIL() << "half a file was taken for a whole one";
  } catch (const AudioError& error) {
    EXPECT_NE(std::string(error.what()).find("test is damaged or incomplete after 0.50 s"),
              std::string::npos)
        << error.what();
  }
  EXPECT_EQ(load(file, {.duration = 0.25, .rate = {}}).length, 2000);  // that part is there
}

TEST(Stream, ReadsAWaveWhoseWriterCouldNotKnowItsLength) {
  Bytes file = testing::wave_file(testing::sines(8000, 1, 8000), 1, 8000);
  const std::uint32_t unknown = 0xFFFFFFFF;
  std::memcpy(file.data() + 40, &unknown, 4);
  EXPECT_EQ(load(file, {.rate = {}}).length, 8000);
}

TEST(Decoder, RefusesWhatIsNoAudio) {
  EXPECT_THROW(load({}, {}), AudioError);
  EXPECT_THROW(load(Bytes(5000), {}), AudioError);
  Bytes text;
  for (int i = 0; i < 300; ++i) testing::append(text, "This is no music at all.\n");
  EXPECT_THROW(load(text, {}), AudioError);
  Bytes flac;
  testing::append(flac, "fLaC and no more");
  EXPECT_THROW(load(flac, {}), AudioError);
}

// Its size is known before another program makes it shorter.
class Shortened final : public Source {
 public:
  Shortened(const Bytes& bytes, std::size_t end) : bytes_(bytes), end_(end) {}
  std::size_t read(std::int64_t offset, std::span<std::byte> into) override {
    const auto place = static_cast<std::size_t>(offset);
    const std::size_t count = std::min(into.size(), place < end_ ? end_ - place : 0);
    std::copy_n(bytes_.begin() + offset, count, into.begin());
    return count;
  }
  std::int64_t size() override { return static_cast<std::int64_t>(bytes_.size()); }

 private:
  const Bytes& bytes_;
  std::size_t end_;
};

TEST(Sniff, ReadsNothingBeyondTheEndOfAFileThatWasShortened) {
  Bytes au;
  testing::append(au, ".snd");
  au.resize(100);
  for (std::size_t end = 0; end < 40; ++end) {
    Shortened source(au, end);
    EXPECT_FALSE(breaks_off(source)) << end;
  }
}

TEST(Source, TellsMissingFilesFromFolders) {
  const testing::Folder folder;
  const auto code_of = [](const std::string& path) {
    try {
      open_file(path);
    } catch (const FileError& error) {
      return error.code;
    }
    return 0;
  };
  EXPECT_EQ(code_of(folder.path() + "/none.wav"), ENOENT);
  EXPECT_EQ(code_of(folder.path()), EISDIR);
  EXPECT_EQ(code_of(folder.write("some.wav", Bytes(4))), 0);
}

#else

TEST(WithoutIo, SaysThatItWasBuiltSo) {
  EXPECT_THROW(load(testing::wave_file({0.0f}, 1, 8000), {}), AudioError);
}

#endif

}  // namespace
}  // namespace metalmom::io
