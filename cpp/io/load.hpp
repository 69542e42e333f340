// A stream read to its end, into memory of the caller's.
#pragma once

#include <algorithm>
#include <vector>

#include "io/sites.hpp"
#include "io/stream.hpp"

namespace metalmom::io {

// Reads everything into memory that `allocate(samples)` gives, for rows() x samples x width()
// values. It is called once: before decoding if the file says how long it is, else when the end is
// known. Returns the samples per channel; fewer than allocated if the file holds less than its
// header says.
template <class T, class Allocate>
Index read_all(Stream<T>& stream, Allocate&& allocate) {
  trace::Span span(sites::load);
  const auto finish = [&](Index length) {
    span.arg("samples", length);
    span.arg("channels", stream.format().channels);
    return length;
  };
  if (const auto room = stream.length()) {
    T* out = allocate(*room);
    return finish(stream.read(out, *room, *room));
  }
  constexpr Index part = 1 << 17;
  const auto part_size = static_cast<std::size_t>(part * stream.rows() * stream.width());
  std::vector<Buffer<T>> parts;
  Index total = 0, got = part;
  while (got == part) {
    parts.emplace_back(part_size);
    total += got = stream.read(parts.back().data(), part, part);
  }
  T* out = allocate(total);
  for (Index row = 0; row < stream.rows(); ++row) {
    Index place = 0;
    for (const Buffer<T>& samples : parts) {
      const Index count = std::min(part, total - place);
      const T* from = samples.data() + row * part;
      std::copy(from, from + count * stream.width(), out + row * total + place * stream.width());
      place += count;
    }
  }
  return finish(total);
}

}  // namespace metalmom::io
