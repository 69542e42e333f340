#include "io/source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "io/read_ahead.hpp"

namespace metalmom::io {

namespace {

class MemorySource final : public Source {
 public:
  explicit MemorySource(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::size_t read(std::int64_t offset, std::span<std::byte> into) override {
    if (offset < 0 || offset >= size()) return 0;
    const auto from = bytes_.subspan(static_cast<std::size_t>(offset));
    const auto count = std::min(into.size(), from.size());
    std::memcpy(into.data(), from.data(), count);
    return count;
  }
  std::int64_t size() override { return static_cast<std::int64_t>(bytes_.size()); }
  std::unique_ptr<Source> clone() const override { return std::make_unique<MemorySource>(bytes_); }

 private:
  std::span<const std::byte> bytes_;
};

class OwnedMemory final : public Source {
 public:
  explicit OwnedMemory(std::vector<std::byte> bytes) : bytes_(std::move(bytes)), view_(bytes_) {}
  std::size_t read(std::int64_t offset, std::span<std::byte> into) override {
    return view_.read(offset, into);
  }
  std::int64_t size() override { return view_.size(); }
  std::unique_ptr<Source> clone() const override { return view_.clone(); }

 private:
  std::vector<std::byte> bytes_;
  MemorySource view_;
};

// Reads with pread, so the descriptor's own position never moves.
class FileSource final : public Source {
 public:
  FileSource(Descriptor descriptor, std::string name, std::int64_t base, std::int64_t end)
      : descriptor_(std::move(descriptor)), name_(std::move(name)), base_(base), end_(end) {}

  std::size_t read(std::int64_t offset, std::span<std::byte> into) override {
    return ahead_.read(offset, into, [this](std::int64_t place, std::span<std::byte> to) {
      while (true) {
        const auto count = ::pread(descriptor_.get(), to.data(), to.size(), base_ + place);
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR) throw FileError(name_, errno);
      }
    });
  }
  std::int64_t size() override { return end_ - base_; }
  int descriptor() const override { return base_ == 0 ? descriptor_.get() : -1; }
  std::unique_ptr<Source> clone() const override {
    Descriptor copy(::fcntl(descriptor_.get(), F_DUPFD_CLOEXEC, 3));
    if (!copy) return nullptr;
    return std::make_unique<FileSource>(std::move(copy), name_, base_, end_);
  }

 private:
  Descriptor descriptor_;
  std::string name_;
  std::int64_t base_, end_;
  ReadAhead ahead_;
};

std::vector<std::byte> read_to_end(int fd, const std::string& name) {
  // Of the end that is written to, nothing could ever be read.
  if ((::fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY) throw FileError(name, EBADF);
  std::vector<std::byte> bytes;
  std::size_t size = 0;
  while (true) {
    check_interrupt();
    pollfd ready{fd, POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(interrupt_interval.count())) <= 0) continue;
    if (size == bytes.size()) bytes.resize(std::max<std::size_t>(2 * size, 1 << 16));
    const auto count = ::read(fd, bytes.data() + size, bytes.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw FileError(name, errno);
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

std::unique_ptr<Source> open_file(const std::string& path) {
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor) throw FileError(path, errno);
  return from_descriptor(std::move(descriptor), path);
}

std::unique_ptr<Source> from_descriptor(Descriptor descriptor, const std::string& name) {
  struct stat status;
  if (::fstat(descriptor.get(), &status) != 0) throw FileError(name, errno);
  if (S_ISDIR(status.st_mode)) throw FileError(name, EISDIR);
  if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
    return std::make_unique<OwnedMemory>(read_to_end(descriptor.get(), name));
  // A device has no end that a decoder could seek from.
  if (!S_ISREG(status.st_mode)) throw AudioError(name + " is no audio file but a device");
  const auto position = ::lseek(descriptor.get(), 0, SEEK_CUR);
  return std::make_unique<FileSource>(std::move(descriptor), name, std::max<off_t>(position, 0),
                                      status.st_size);
}

std::unique_ptr<Source> from_memory(std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(bytes);
}

}  // namespace metalmom::io
