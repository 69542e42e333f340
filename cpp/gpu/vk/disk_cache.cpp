#include "gpu/vk/disk_cache.hpp"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace metalmom::gpu {

namespace fs = std::filesystem;

namespace {

struct Header {
  std::array<char, 8> magic{'m', 'm', 'c', 'a', 'c', 'h', 'e', '1'};
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};

// Empty when there is none.
std::string cache_folder() {
  if (const char* chosen = std::getenv("METALMOM_CACHE_DIR"))
    return std::strcmp(chosen, "off") == 0 ? "" : chosen;
  if (const char* base = std::getenv("XDG_CACHE_HOME"); base && *base == '/')
    return std::string(base) + "/metalmom";
  const char* home = std::getenv("HOME");
  return home && *home == '/' ? std::string(home) + "/.cache/metalmom" : "";
}

}  // namespace

std::uint64_t fingerprint(std::span<const std::byte> content, std::uint64_t seed) {
  for (const std::byte each : content)
    seed = (seed ^ std::to_integer<std::uint64_t>(each)) * 0x100000001b3u;
  return seed;
}

std::vector<std::byte> load_cached(const std::string& file) {
  const std::string folder = cache_folder();
  if (folder.empty()) return {};
  std::error_code error;
  // opening a pipe would wait for a writer
  if (!fs::is_regular_file(folder + "/" + file, error)) return {};
  std::ifstream in(folder + "/" + file, std::ios::binary);
  Header header;
  const Header expected;
  if (!in.read(reinterpret_cast<char*>(&header), sizeof header) || header.magic != expected.magic)
    return {};
  const auto size = fs::file_size(folder + "/" + file, error);
  if (error || size != sizeof header + header.bytes) return {};
  std::vector<std::byte> content(header.bytes);
  if (!in.read(reinterpret_cast<char*>(content.data()), static_cast<std::streamsize>(header.bytes)))
    return {};
  if (fingerprint(content) != header.checksum) return {};
  return content;
}

void store_cached(const std::string& file, std::span<const std::byte> content) {
  const std::string folder = cache_folder();
  if (folder.empty()) return;
  std::error_code error;
  fs::create_directories(folder, error);
  const std::string target = folder + "/" + file;
  const std::string beside = target + "." + std::to_string(getpid());
  Header header;
  header.bytes = content.size();
  header.checksum = fingerprint(content);
  {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(&header), sizeof header);
    out.write(reinterpret_cast<const char*>(content.data()),
              static_cast<std::streamsize>(content.size()));
    out.flush();
    if (!out) {
      out.close();
      fs::remove(beside, error);
      return;
    }
  }
  fs::rename(beside, target, error);
  if (error) fs::remove(beside, error);
}

}  // namespace metalmom::gpu
