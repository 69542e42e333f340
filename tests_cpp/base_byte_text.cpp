// Sizes of memory as errors show them.
#include "base/byte_text.hpp"

#include <gtest/gtest.h>

namespace metalmom {
namespace {

TEST(ByteText, HasATenthBelowTen) {
  EXPECT_EQ(byte_text(0), "0 bytes");
  EXPECT_EQ(byte_text(1023), "1023 bytes");
  EXPECT_EQ(byte_text(1024), "1 KiB");
  EXPECT_EQ(byte_text(3 << 19), "1.5 MiB");
  EXPECT_EQ(byte_text((10 << 20) - 1), "9.9 MiB") << "rounded down";
  EXPECT_EQ(byte_text(25 << 19), "12 MiB");
  EXPECT_EQ(byte_text(std::size_t{139} << 30), "139 GiB");
}

}  // namespace
}  // namespace metalmom
