// Where encoded bytes come from: a file, memory, or whatever the bridge wraps. Decoders know
// nothing else, so that a path, a descriptor, bytes and a Python file object decode alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/descriptor.hpp"

namespace metalmom::io {

class Source {
 public:
  virtual ~Source() = default;
  // The bytes at `offset`; fewer than asked for only at the end.
  virtual std::size_t read(std::int64_t offset, std::span<std::byte> into) = 0;
  virtual std::int64_t size() = 0;
  // A descriptor that another process can read from its beginning, or -1 where there is none.
  virtual int descriptor() const { return -1; }
  // The same bytes for a reader in another thread; the clone lives no longer than this source. Null
  // if there can be one reader only.
  virtual std::unique_ptr<Source> clone() const { return nullptr; }
};

// An ordinary file. Throws FileError for what cannot be opened and for folders. A pipe is read to
// its end into memory, because every decoder seeks.
std::unique_ptr<Source> open_file(const std::string& path);

// The file behind an open descriptor, from its present position to its end.
std::unique_ptr<Source> from_descriptor(Descriptor descriptor, const std::string& name);

// Bytes that outlive the source.
std::unique_ptr<Source> from_memory(std::span<const std::byte> bytes);

}  // namespace metalmom::io
