// What is made of logs of ffmpeg, as several versions write them.
#include "io/ffmpeg_log.hpp"

#include <gtest/gtest.h>

namespace metalmom::io {
namespace {

const std::string by_name = "file:/dev/stdin", by_descriptor = "fd:";

std::string last_line(const std::string& log, const std::string& input) {
  const Reason reason = reason_in(log, input);
  EXPECT_EQ(reason.known, "");
  return reason.last_line;
}

// The input could not be opened: that line's cause is told where no other line has one.
TEST(FfmpegLog, AVerdictIsToldWithoutTheInputsName) {
  const std::string told = "Invalid data found when processing input";
  EXPECT_EQ(last_line("file:/dev/stdin: Invalid data found when processing input\n", by_name),
            told);
  EXPECT_EQ(last_line("fd:: Invalid data found when processing input\n", by_descriptor), told);
  EXPECT_EQ(
      last_line("[in#0 @ 0x55d] Error opening input: Invalid data found when processing input\n"
                "Error opening input file fd:.\n",
                by_descriptor),
      told);
}

TEST(FfmpegLog, TheLastCauseIsTold) {
  EXPECT_EQ(last_line("[mov,mp4 @ 0x55d] error reading header\n"
                      "[mov,mp4 @ 0x55d] moov atom not found\n"
                      "    Last message repeated 3 times\n"
                      "fd:: Invalid data found when processing input\n",
                      by_descriptor),
            "moov atom not found");
  const Reason unknown = reason_in("", by_descriptor);
  EXPECT_EQ(unknown.known, "ffmpeg failed");
  EXPECT_EQ(unknown.last_line, "");
}

TEST(FfmpegLog, WhatIsKnownIsNoWordOfFfmpegs) {
  const Reason playlist =
      reason_in("Protocol 'http' not on whitelist 'fd'!\nfd:: Invalid data\n", by_descriptor);
  EXPECT_EQ(playlist.known.find("it is a playlist"), 0U);
  EXPECT_EQ(playlist.last_line, "");
}

}  // namespace
}  // namespace metalmom::io
