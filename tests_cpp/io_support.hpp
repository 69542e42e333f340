// Encoded audio that a test makes for itself: files in memory, and a folder that goes with the
// test.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

namespace metalmom::io::testing {

using Bytes = std::vector<std::byte>;

template <class T>
void append(Bytes& bytes, T value) {
  const auto* raw = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), raw, raw + sizeof value);
}

inline void append(Bytes& bytes, const char* text) {
  while (*text) bytes.push_back(static_cast<std::byte>(*text++));
}

// A WAVE file of interleaved 32-bit float samples.
inline Bytes wave_file(const std::vector<float>& samples, int channels, int rate) {
  Bytes bytes;
  const auto size = static_cast<std::uint32_t>(samples.size() * sizeof(float));
  append(bytes, "RIFF");
  append(bytes, size + 36);
  append(bytes, "WAVEfmt ");
  append(bytes, std::uint32_t{16});
  append(bytes, std::uint16_t{3});
  append(bytes, static_cast<std::uint16_t>(channels));
  append(bytes, static_cast<std::uint32_t>(rate));
  append(bytes, static_cast<std::uint32_t>(rate * channels * 4));
  append(bytes, static_cast<std::uint16_t>(channels * 4));
  append(bytes, std::uint16_t{32});
  append(bytes, "data");
  append(bytes, size);
  for (const float sample : samples) append(bytes, sample);
  return bytes;
}

// Frames of sines, a different frequency in every channel, interleaved.
inline std::vector<float> sines(int frames, int channels, int rate) {
  std::vector<float> samples;
  for (int i = 0; i < frames; ++i)
    for (int c = 0; c < channels; ++c)
      samples.push_back(static_cast<float>(
          0.5 * std::sin(2 * std::numbers::pi * 220.0 * (c + 1) * i / static_cast<double>(rate))));
  return samples;
}

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "metalmom-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;

  std::string write(const std::string& name, const Bytes& bytes) const {
    const auto file = path_ / name;
    std::ofstream stream(file, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    return file.string();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace metalmom::io::testing
