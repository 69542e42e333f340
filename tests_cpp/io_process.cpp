#include "io/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>

#include "base/error.hpp"

namespace metalmom::io {
namespace {

std::optional<Process> run(const std::vector<std::string>& arguments) {
  const Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return Process::start("song.mp3", arguments, nothing.get(), std::chrono::milliseconds(100));
}

std::string message_of(auto&& call) {
  try {
    call();
  } catch (const AudioError& error) {
    return error.what();
  }
  return "";
}

TEST(Process, GivesWhatItsProgramWrites) {
  auto process = run({"echo", "four"});
  ASSERT_TRUE(process);
  std::array<std::byte, 16> bytes;
  EXPECT_EQ(process->read(bytes), 5u);
  EXPECT_TRUE(process->wait());
}

// One that hangs is killed, before its first byte or after its last.
TEST(Process, IsNotWaitedForWithoutEnd) {
  auto silent = run({"sleep", "1000"});
  ASSERT_TRUE(silent);
  std::array<std::byte, 16> bytes;
  EXPECT_EQ(message_of([&] { silent->read(bytes); }),
            "song.mp3: the decoder process gives nothing for 0.1 s: ");
  auto closed = run({"sh", "-c", "exec >&-; echo stuck >&2; sleep 1000"});
  ASSERT_TRUE(closed);
  EXPECT_EQ(closed->read(bytes), 0u);
  EXPECT_EQ(message_of([&] { closed->wait(); }),
            "song.mp3: the decoder process gives nothing for 0.1 s: stuck\n");
}

}  // namespace
}  // namespace metalmom::io
