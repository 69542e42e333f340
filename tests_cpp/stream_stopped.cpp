// After an exception a stream is as it was before the call, or it says that it was stopped until
// reset() begins another signal: at every point where a call can be ended.
#include "stream_tried.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "realtime_guard.hpp"

namespace metalmom::stream {
namespace {

using namespace test;

struct Enough {};

// Ends a call of this thread at a look.
class EndAtLook final : public Interruption {
 public:
  explicit EndAtLook(long number) : left_(number) { interruption = this; }
  ~EndAtLook() { interruption = nullptr; }
  EndAtLook(const EndAtLook&) = delete;
  void look() override {
    if (--left_ == 0) throw Enough{};
  }

 private:
  long left_;
};

void expect_calls(Tried& stream, const std::vector<Values>& expected, int first,
                  int end = n_calls) {
  for (int i = first; i < end; ++i)
    ASSERT_EQ(stream.call(i), expected[static_cast<std::size_t>(i)]);
}

// Ends every call at its first, second, third ... point; returns how often that stopped the stream.
template <class Fault, class Stream>
int times_stopped() {
  std::vector<Values> expected;
  Stream whole;
  for (int i = 0; i < n_calls; ++i) expected.push_back(whole.call(i));
  int n_stopped = 0;
  for (int number = 0; number < n_calls; ++number) {
    bool ended = true;
    for (long point = 1; ended; ++point) {
      Stream stream;
      expect_calls(stream, expected, 0, number);
      try {
        const Fault fault(point);
        (void)stream.call(number);
        ended = false;
      } catch (const Enough&) {
      } catch (const std::bad_alloc&) {
      }
      if (!ended) {
        expect_calls(stream, expected, number + 1);
        continue;
      }
      try {
        EXPECT_EQ(stream.call(number), expected[static_cast<std::size_t>(number)]);
        expect_calls(stream, expected, number + 1);
      } catch (const ParameterError& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("this stream was stopped"))
            << error.what();
        EXPECT_THROW(stream.call(number), ParameterError);
        ++n_stopped;
        stream.reset();
        expect_calls(stream, expected, 0);
      }
    }
  }
  return n_stopped;
}

TEST(StreamStopped, ByASignal) {
  EXPECT_GT((times_stopped<EndAtLook, Frames>()), 5);
  EXPECT_GT((times_stopped<EndAtLook, Inverse>()), 5);
  EXPECT_GT((times_stopped<EndAtLook, Resampled>()), 10);
  EXPECT_GT((times_stopped<EndAtLook, Convolved>()), 10);
  EXPECT_GT((times_stopped<EndAtLook, Energies>()), 10);
  EXPECT_GT((times_stopped<EndAtLook, Peaks>()), 10);
}

#ifdef METALMOM_REALTIME_GUARD
// Not of libsoxr, which writes to what it did not get.
TEST(StreamStopped, ForWantOfMemory) {
  using metalmom::test::FailingAllocation;
  EXPECT_GT((times_stopped<FailingAllocation, Frames>()), 0);
  EXPECT_GT((times_stopped<FailingAllocation, Peaks>()), 0);
  times_stopped<FailingAllocation, Inverse>();
  times_stopped<FailingAllocation, Convolved>();
}
#endif

// Parts that are one stream are stopped together, and begin anew together.
TEST(StreamStopped, WithAllItsParts) {
  const auto turns = std::make_shared<Turns>("a stream");
  const Values y = noise(1000);
  PeakStream<float> one({3, 4, 10, 11, 0.1, 2}, turns), other({3, 4, 10, 11, 0.1, 2}, turns);
  other.process(y, false, [](Index) {});
  EXPECT_THROW(one.process(y, true, [](Index) { throw Enough{}; }), Enough);
  EXPECT_THROW(other.process(y, false, [](Index) {}), ParameterError);
  one.reset();
  other.reset();
  EXPECT_NO_THROW(other.process(y, false, [](Index) {}));
}

// What changed the stream in a turn that has ended may be lost after it, by the same thread alone.
TEST(StreamStopped, WhenItsAnswerIsLost) {
  Turns turns("a stream");
  const int outer = 0, inner = 0;
  turns.begin(&outer);
  turns.begin(&inner);
  turns.change();
  turns.done();
  turns.end(&inner);
  turns.end(&outer);
  EXPECT_NO_THROW(turns.require_whole());
  std::thread([&] { turns.lose(nullptr); }).join();
  EXPECT_NO_THROW(turns.require_whole());
  turns.lose(nullptr);
  EXPECT_THROW(turns.require_whole(), ParameterError);

  turns.change();
  turns.done();
  turns.begin(&outer);
  turns.lose(&outer);  // it changed nothing
  EXPECT_NO_THROW(turns.require_whole());
  std::thread([&] { EXPECT_NO_THROW(turns.take()); }).join();
}

TEST(StreamStopped, OrAtWork) {
  Turns turns;
  const auto turn = turns.take();
  EXPECT_THROW(turns.take(), std::runtime_error) << "a signal handler";
  std::thread([&] { EXPECT_THROW(turns.take(), std::runtime_error); }).join();
}

}  // namespace
}  // namespace metalmom::stream
