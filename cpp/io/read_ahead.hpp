// Small reads served from a block that was fetched at once: decoders ask for some bytes at a time,
// and each would be a system call, or a call of Python.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/buffer.hpp"

namespace metalmom::io {

class ReadAhead {
 public:
  ReadAhead() : block_(block_size) {}

  // The bytes at `offset`; fewer than asked for only at the end. `fetch(place, into)` reads some of
  // the bytes at `place` and returns how many, none at the end.
  template <class Fetch>
  std::size_t read(std::int64_t offset, std::span<std::byte> into, Fetch&& fetch) {
    std::size_t done = 0;
    while (done < into.size()) {
      const std::int64_t place = offset + static_cast<std::int64_t>(done);
      const auto rest = into.subspan(done);
      std::size_t count;
      if (place >= first_ && place < last_) {
        count = std::min(rest.size(), static_cast<std::size_t>(last_ - place));
        std::memcpy(rest.data(), block_.data() + (place - first_), count);
      } else if (rest.size() >= block_size) {
        count = fetch(place, rest);
      } else {
        first_ = last_ = place;
        last_ += static_cast<std::int64_t>(fetch(place, std::span(block_.data(), block_size)));
        if (last_ > first_) continue;
        count = 0;
      }
      if (count == 0) break;
      done += count;
    }
    return done;
  }

 private:
  static constexpr std::size_t block_size = 1 << 16;

  Buffer<std::byte> block_;
  std::int64_t first_ = 0, last_ = 0;  // what of the source the block holds
};

}  // namespace metalmom::io
