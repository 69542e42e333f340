// Tables of a device that are found by a number, because what they are made of is too large to
// compare: a basis, the filters of all octaves.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "gpu/record/session.hpp"

namespace metalmom::gpu {

// A number that no other call in the process gets.
inline std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> serial{0};
  return ++serial;
}

inline Slice serial_table(Session& session, std::string_view kind, std::uint64_t serial,
                          const std::vector<float>& values) {
  return session.table(kind, std::as_bytes(std::span(&serial, 1)), [&] { return values; });
}

}  // namespace metalmom::gpu
