// ReadAhead against the bytes themselves, whatever is asked for and however little a fetch gives.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "io/read_ahead.hpp"

namespace metalmom::io {
namespace {

class Bytes {
 public:
  Bytes(std::size_t size, std::size_t most_at_once) : bytes_(size), most_(most_at_once) {
    for (std::size_t i = 0; i < size; ++i) bytes_[i] = static_cast<std::byte>(i * i >> 3);
  }

  std::size_t operator()(std::int64_t place, std::span<std::byte> into) {
    ++fetches;
    const auto from = std::min(static_cast<std::size_t>(place), bytes_.size());
    const auto count = std::min({into.size(), most_, bytes_.size() - from});
    if (count > 0) std::memcpy(into.data(), bytes_.data() + from, count);
    return count;
  }

  std::vector<std::byte> at(std::int64_t place, std::size_t count) const {
    const auto first = std::min(static_cast<std::size_t>(place), bytes_.size());
    const auto last = std::min(first + count, bytes_.size());
    return {bytes_.begin() + static_cast<std::ptrdiff_t>(first),
            bytes_.begin() + static_cast<std::ptrdiff_t>(last)};
  }

  int fetches = 0;

 private:
  std::vector<std::byte> bytes_;
  std::size_t most_;
};

std::vector<std::byte> read(ReadAhead& ahead, Bytes& bytes, std::int64_t place, std::size_t count) {
  std::vector<std::byte> got(count);
  got.resize(ahead.read(place, got, bytes));
  return got;
}

TEST(ReadAhead, GivesTheBytesWhereverItIsAskedForThem) {
  std::mt19937 random(1);
  for (const std::size_t most : {7, 1000, 1 << 30}) {
    Bytes bytes(300'000, most);
    ReadAhead ahead;
    for (int k = 0; k < 200; ++k) {
      const auto place = static_cast<std::int64_t>(random() % 310'000);
      const std::size_t count = random() % (k % 10 == 0 ? 200'000 : 500);
      ASSERT_EQ(read(ahead, bytes, place, count), bytes.at(place, count)) << place << " " << count;
    }
  }
}

TEST(ReadAhead, FetchesSeldomWhereLittleIsReadAtATime) {
  Bytes bytes(1 << 20, 1 << 30);
  ReadAhead ahead;
  for (std::int64_t place = 0; place < 1 << 20; place += 4) read(ahead, bytes, place, 4);
  EXPECT_EQ(bytes.fetches, 16);
}

TEST(ReadAhead, HoldsNothingAfterAFetchThatFailed) {
  ReadAhead ahead;
  std::vector<std::byte> into(10);
  const auto fail = [](std::int64_t, std::span<std::byte>) -> std::size_t { throw 1; };
  EXPECT_THROW(ahead.read(0, into, fail), int);
  Bytes bytes(100, 1 << 30);
  EXPECT_EQ(read(ahead, bytes, 0, 10), bytes.at(0, 10));
}

}  // namespace
}  // namespace metalmom::io
