#include "gpu/vk/packed_spirv.hpp"

#include <gtest/gtest.h>

#include "gpu/vk/shaders.hpp"

namespace metalmom::gpu {
namespace {

using Words = std::vector<std::uint32_t>;

TEST(GpuPackedSpirv, CountsFromTheNewestResult) {
  // The magic number in four bytes and four small numbers; then by opcode and count: 128 (OpIAdd)
  // of type 6 with the result 300 = 0 - (-300) of 299 and 1; 62 (OpStore) to 301 of 300; 253
  // (OpReturn).
  const std::uint8_t packed[] = {0x83, 0x84, 0x8c, 0x39, 1, 2,  3, 0, 0x80, 1,    9, 6,
                                 0xd7, 4,    2,    0xd6, 4, 62, 4, 1, 0,    0xfd, 1, 0};
  const Words expected{
      0x07230203,    1, 2, 3, 0, 5u << 16 | 128, 6, 300, 299, 1, 3u << 16 | 62, 301, 300,
      1u << 16 | 253};
  EXPECT_EQ(unpack_spirv(packed), expected);
}

TEST(GpuPackedSpirv, ModulesAreWhole) {
  for (const auto* name : {"hpss", "shape_1024", "yin_2048"}) {
    const Words words = spirv(name);
    ASSERT_GT(words.size(), 1000u) << name;
    EXPECT_EQ(words[0], 0x07230203u);
    std::size_t at = 5;
    while (at < words.size()) {
      ASSERT_GT(words[at] >> 16, 0u) << name;
      at += words[at] >> 16;
    }
    EXPECT_EQ(at, words.size()) << name;
    EXPECT_EQ(words.back(), 1u << 16 | 56) << name;  // OpFunctionEnd
  }
  EXPECT_TRUE(spirv("none").empty());
}

}  // namespace
}  // namespace metalmom::gpu
