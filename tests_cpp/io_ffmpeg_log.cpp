// What is made of logs of ffmpeg, as several versions write them.
#include "io/ffmpeg_log.hpp"

#include <gtest/gtest.h>

namespace metalmom::io {
namespace {

const std::string by_name = "file:/dev/stdin", by_descriptor = "fd:";

// The input could not be opened: that line's cause is told where no other line has one.
TEST(FfmpegLog, AVerdictIsToldWithoutTheInputsName) {
  const std::string told = "ffmpeg says: Invalid data found when processing input";
  EXPECT_EQ(reason_in("file:/dev/stdin: Invalid data found when processing input\n", by_name), told);
  EXPECT_EQ(reason_in("fd:: Invalid data found when processing input\n", by_descriptor), told);
  EXPECT_EQ(reason_in("[in#0 @ 0x55d] Error opening input: Invalid data found when processing input\n"
                      "Error opening input file fd:.\n",
                      by_descriptor),
            told);
}

TEST(FfmpegLog, TheLastCauseIsTold) {
  EXPECT_EQ(reason_in("[mov,mp4 @ 0x55d] error reading header\n"
                      "[mov,mp4 @ 0x55d] moov atom not found\n"
                      "    Last message repeated 3 times\n"
                      "fd:: Invalid data found when processing input\n",
                      by_descriptor),
            "ffmpeg says: moov atom not found");
  EXPECT_EQ(reason_in("", by_descriptor), "ffmpeg failed");
}

}  // namespace
}  // namespace metalmom::io
