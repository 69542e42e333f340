// Sizes of memory, as errors show them and as people write them.
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

TEST(ByteText, IsRead) {
  EXPECT_EQ(bytes_of_text("4096"), 4096u);
  EXPECT_EQ(bytes_of_text("512M"), std::size_t{512} << 20);
  EXPECT_EQ(bytes_of_text("1.5 GiB"), std::size_t{3} << 29);
  EXPECT_EQ(bytes_of_text("2gb"), std::size_t{2} << 30);
  EXPECT_EQ(bytes_of_text("99999999T"), std::numeric_limits<std::size_t>::max());
  for (const char* other : {"", "M", "-1", ".5G", "1e3", "5X", "5iM", "5 M B", "5Mi", "0x10"})
    EXPECT_EQ(bytes_of_text(other), std::nullopt) << other;
}

}  // namespace
}  // namespace metalmom
