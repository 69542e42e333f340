#include "gpu/vk/disk_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/descriptor.hpp"

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

// Whoever can write a kernel decides what the driver runs: files and folders of other users do not
// count.
bool is_own(const struct stat& status) {
  return status.st_uid == ::geteuid();
}

// The folder, made where it is missing; empty where there is none or it is another user's.
std::string own_folder() {
  const std::string folder = cache_folder();
  if (folder.empty()) return {};
  std::error_code error;
  if (!fs::exists(folder, error)) {
    fs::create_directories(fs::path(folder).parent_path(), error);
    ::mkdir(folder.c_str(), 0700);
  }
  struct stat status {};
  const bool usable = ::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  return usable && is_own(status) ? folder : std::string();
}

// Both go on after an interrupted or partial transfer, and say whether all bytes were moved.
bool read_all(const Descriptor& from, std::span<std::byte> into) {
  while (!into.empty()) {
    const auto count = ::read(from.get(), into.data(), into.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool write_all(const Descriptor& to, std::span<const std::byte> from) {
  while (!from.empty()) {
    const auto count = ::write(to.get(), from.data(), from.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    from = from.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

std::uint64_t fingerprint(std::span<const std::byte> content, std::uint64_t seed) {
  for (const std::byte each : content)
    seed = (seed ^ std::to_integer<std::uint64_t>(each)) * 0x100000001b3u;
  return seed;
}

std::vector<std::byte> load_cached(const std::string& file) {
  const std::string folder = own_folder();
  if (folder.empty()) return {};
  // without O_NONBLOCK, opening a pipe would wait for a writer
  const Descriptor in(
      ::open((folder + "/" + file).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!in || ::fstat(in.get(), &status) != 0 || !S_ISREG(status.st_mode) || !is_own(status) ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return {};
  Header header;
  const Header expected;
  if (!read_all(in, std::as_writable_bytes(std::span(&header, 1))) ||
      header.magic != expected.magic)
    return {};
  if (static_cast<std::uint64_t>(status.st_size) != sizeof header + header.bytes) return {};
  std::vector<std::byte> content(header.bytes);
  if (!read_all(in, content) || fingerprint(content) != header.checksum) return {};
  return content;
}

void store_cached(const std::string& file, std::span<const std::byte> content) {
  const std::string folder = own_folder();
  if (folder.empty()) return;
  const std::string target = folder + "/" + file;
  const std::string beside = target + "." + std::to_string(::getpid());
  Header header;
  header.bytes = content.size();
  header.checksum = fingerprint(content);
  ::unlink(beside.c_str());  // of a process of this number that was killed
  const Descriptor out(
      ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!out) return;
  if (!write_all(out, std::as_bytes(std::span(&header, 1))) || !write_all(out, content) ||
      ::rename(beside.c_str(), target.c_str()) != 0)
    ::unlink(beside.c_str());
}

}  // namespace metalmom::gpu
