#include "io/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
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

// Nor does it wait for a reader when there is none any more.
TEST(Process, EndsWhenNobodyReadsItsOutput) {
  auto process = run({"sh", "-c", "while echo more; do :; done 2>/dev/null"});
  ASSERT_TRUE(process);
  std::array<std::byte, 16> bytes;
  EXPECT_EQ(process->read(bytes), 16u);
  EXPECT_EQ(message_of([&] { process->wait(); }), "");
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

// A decoder that complains without end is read from its first line to its last.
TEST(Process, TellsWhatItsProgramSaysFirstAndLast) {
  const auto errors_of = [](const char* numbers) {
    auto process = run({"sh", "-c", std::string("seq 1 ") + numbers + " >&2; echo last >&2"});
    std::array<std::byte, 1> bytes;
    EXPECT_EQ(process->read(bytes), 0u);
    EXPECT_TRUE(process->wait());
    return process->errors();
  };
  const std::string all = errors_of("2000");
  EXPECT_EQ(std::ranges::count(all, '\n'), 2001);
  EXPECT_TRUE(all.ends_with("\n2000\nlast\n"));
  const std::string some = errors_of("200000");
  EXPECT_LE(some.size(), std::size_t{1} << 20);
  EXPECT_GT(some.size(), (std::size_t{1} << 20) - 20);
  EXPECT_TRUE(some.starts_with("1\n2\n"));
  EXPECT_TRUE(some.ends_with("\n200000\nlast\n"));
  std::istringstream lines(some);  // whole ones: they rise
  for (int before = 0, line = 0; lines >> line; before = line) ASSERT_GT(line, before);
}

// Whatever a file makes it do, it takes no more memory than this, writes no more messages, and
// leaves no dump.
TEST(Process, HasLimits) {
  auto process = run({"sh", "-c", "sleep 0.05; ulimit -v; ulimit -f; ulimit -c"});
  std::array<std::byte, 64> bytes;
  const std::size_t size = process->read(bytes);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), size);
  std::istringstream lines(text);
  long memory = -1, blocks = -1, dump = -1;  // in 1,024, 512 and 512 bytes
  lines >> memory >> blocks >> dump;
  EXPECT_GT(memory, 0) << text;
  EXPECT_LE(memory, 8L << 20);
  EXPECT_GT(blocks, 0);
  EXPECT_LE(blocks, 64L << 11);
  EXPECT_EQ(dump, 0);
  EXPECT_TRUE(process->wait());
}

}  // namespace
}  // namespace metalmom::io
