#include "gpu/vk/packed_spirv.hpp"

namespace metalmom::gpu {

std::vector<std::uint32_t> unpack_spirv(std::span<const std::uint8_t> packed) {
  std::size_t at = 0;
  const auto number = [&] {
    std::uint32_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint8_t byte = packed[at++];
      value |= std::uint32_t{byte & 127u} << shift;
      if (byte < 128) return value;
    }
  };
  const auto from = [&](std::uint32_t newest) {
    const std::uint32_t value = number();
    return newest - ((value >> 1) ^ (0 - (value & 1)));
  };

  std::vector<std::uint32_t> words;
  words.reserve(packed.size());
  for (int i = 0; i < 5; ++i) words.push_back(number());
  std::uint32_t newest = 0;
  while (at < packed.size()) {
    const std::uint32_t opcode = number();
    const std::uint32_t count = number();
    const std::uint32_t n_operands = count >> 1;
    const bool typed = count & 1;
    words.push_back((n_operands + 1) << 16 | opcode);
    for (std::uint32_t place = 0; place < n_operands; ++place) {
      words.push_back(typed && place == 0 ? number() : from(newest));
      if (typed && place == 1) newest = words.back();
    }
  }
  return words;
}

}  // namespace metalmom::gpu
