#include "io/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <thread>

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
  auto busy = run({"sh", "-c", "while :; do :; done"});
  ASSERT_TRUE(busy);
  EXPECT_EQ(message_of([&] { busy->read(bytes); }),
            "song.mp3: the decoder process gives nothing for 0.1 s: ");
}

// One whose input comes slowly is waited for as long as some comes: here twice its patience.
TEST(Process, IsWaitedForWhileItReads) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Descriptor input(ends[0]);
  auto process =
      Process::start("song.mp3", {"wc", "-c"}, input.get(), std::chrono::milliseconds(500));
  ASSERT_TRUE(process);
  std::jthread slow([to = Descriptor(ends[1])] {
    for (int i = 0; i < 10; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      EXPECT_EQ(::write(to.get(), ".", 1), 1);
    }
  });
  std::array<std::byte, 16> bytes;
  EXPECT_EQ(message_of([&] { EXPECT_EQ(process->read(bytes), 3u); }), "");
  EXPECT_EQ(std::memcmp(bytes.data(), "10\n", 3), 0);
  EXPECT_TRUE(process->wait());
}

}  // namespace
}  // namespace metalmom::io
