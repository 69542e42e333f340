// Changes of bytes that make inputs of others' inputs, as tests_py/fuzz/mutations.py makes them,
// and of 64-bit sizes; all choices come from a seed.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace metalmom::attack {

using Bytes = std::vector<std::byte>;

// The choices of one try, which its seed decides.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool chance(double probability) {
    return static_cast<double>(random_() >> 11) * 0x1p-53 < probability;
  }
  template <class T, std::size_t n>
  const T& one(const std::array<T, n>& choices) {
    return choices[below(n)];
  }
  template <class T>
  const T& one(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }
  std::byte any_byte() { return static_cast<std::byte>(below(256)); }

 private:
  std::mt19937_64 random_;
};

// A number where there is room for it, of either order of bytes.
inline void put(Draw& draw, Bytes& content, std::size_t at, std::size_t width,
                std::uint64_t number) {
  if (at + width > content.size()) return;
  const bool big_endian = draw.chance(0.5);
  for (std::size_t i = 0; i < width; ++i)
    content[at + i] = static_cast<std::byte>(number >> (8 * (big_endian ? width - 1 - i : i)));
}

// Bytes with some changes: values, cuts, repetitions, parts of others.
inline Bytes mutated(Draw& draw, Bytes content, const std::vector<Bytes>& others) {
  static constexpr std::array<std::uint64_t, 16> extremes{
      0,          1,          0x7F,          0xFF,       0x7FFF,
      0xFFFF,     0x7FFFFFFF, 0x80000000,    0xFFFFFFFF, 0xFFFFFFF0,
      0x7FFFEFFF, 0x7FFFF000, 0x10000000000, 1ull << 62, 0x7FFFFFFFFFFFFFFF,
      ~0ull};
  static constexpr std::array<std::size_t, 6> lengths{1, 2, 4, 16, 100, 1000};
  for (std::size_t changes = 1 + draw.below(4); changes > 0; --changes) {
    const std::size_t n = content.size();
    // The beginning, where headers are, as often as the rest.
    const std::size_t at =
        draw.chance(0.5) ? draw.below(std::min<std::size_t>(n, 200) + 1) : draw.below(n + 1);
    const auto place = content.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t length = std::min(draw.one(lengths), n - at);
    const auto end = place + static_cast<std::ptrdiff_t>(length);
    switch (draw.below(10)) {
      case 0: {
        Bytes more(draw.one(lengths));
        for (std::byte& each : more) each = draw.any_byte();
        content.insert(place, more.begin(), more.end());
        break;
      }
      case 1:
        content.erase(place, end);
        break;
      case 2:
        if (at < n) *place ^= static_cast<std::byte>(1 << draw.below(8));
        break;
      case 3:
        if (at < n) *place = draw.any_byte();
        break;
      case 4:
        put(draw, content, at, 4, draw.one(extremes));
        break;
      case 5:
        put(draw, content, at, 2, draw.one(extremes));
        break;
      case 6:
        put(draw, content, at, 8, draw.one(extremes));
        break;
      case 7: {
        const Bytes again(place, end);
        content.insert(place, again.begin(), again.end());
        break;
      }
      case 8:
        content.erase(place, content.end());
        break;
      default: {
        const Bytes& other = draw.one(others);
        const std::size_t begin = draw.below(other.size() + 1);
        const auto from = other.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto count =
            static_cast<std::ptrdiff_t>(std::min(draw.one(lengths), other.size() - begin));
        content.insert(content.erase(place, end), from, from + count);
      }
    }
  }
  return content;
}

// Gives the pages of an Ogg file their checksums (RFC 3533, section 6), without which no decoder
// looks into them.
inline void seal_ogg_pages(Bytes& content) {
  constexpr std::string_view magic = "OggS";
  const auto byte_at = [&](std::size_t at) { return std::to_integer<std::size_t>(content[at]); };
  for (std::size_t at = 0; at + 27 <= content.size(); ++at) {
    if (!std::equal(magic.begin(), magic.end(), content.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char a, std::byte b) { return static_cast<std::byte>(a) == b; }))
      continue;
    std::size_t length = 27 + byte_at(at + 26);
    if (at + length > content.size()) return;
    for (std::size_t i = 27, segments = length; i < segments; ++i) length += byte_at(at + i);
    if (at + length > content.size()) return;
    for (std::size_t i = 22; i < 26; ++i) content[at + i] = std::byte{0};
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
      sum ^= static_cast<std::uint32_t>(byte_at(at + i)) << 24;
      for (int bit = 0; bit < 8; ++bit) sum = sum << 1 ^ (sum >> 31 ? 0x04C11DB7u : 0);
    }
    for (std::size_t i = 0; i < 4; ++i)
      content[at + 22 + i] = static_cast<std::byte>(sum >> (8 * i));
    at += length - 1;
  }
}

}  // namespace metalmom::attack
