#include "base/waiting.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace metalmom {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class Waiting : public testing::Test {
 protected:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

TEST_F(Waiting, EndsWhenItIsDone) {
  std::thread other([this] {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  });
  std::unique_lock lock(mutex_);
  EXPECT_TRUE(wait_until(lock, changed_, no_deadline, [this] { return done_; }));
  EXPECT_TRUE(lock.owns_lock());
  lock.unlock();
  other.join();
}

TEST_F(Waiting, EndsAtTheDeadline) {
  std::unique_lock lock(mutex_);
  const auto deadline = steady_clock::now() + milliseconds(1);
  EXPECT_FALSE(wait_until(lock, changed_, deadline, [] { return false; }));
  EXPECT_GE(steady_clock::now(), deadline);
  EXPECT_TRUE(wait_until(lock, changed_, deadline, [] { return true; })) << "done counts more";
  EXPECT_TRUE(lock.owns_lock());
}

// Ends the wait of this thread at the second look.
class Signal final : public Interruption {
 public:
  explicit Signal(std::mutex& mutex) : mutex_(mutex) { interruption = this; }
  ~Signal() { interruption = nullptr; }
  void look() override {
    const std::lock_guard lock(mutex_);  // which nobody has meanwhile: whoever looks may need it
    if (++looks_ == 2) throw std::runtime_error("enough");
  }

 private:
  std::mutex& mutex_;
  int looks_ = 0;
};

TEST_F(Waiting, IsEndedByAnInterruption) {
  const Signal signal(mutex_);
  std::unique_lock lock(mutex_);
  EXPECT_THROW(wait_until(lock, changed_, no_deadline, [] { return false; }), std::runtime_error);
  EXPECT_FALSE(lock.owns_lock());
}

}  // namespace
}  // namespace metalmom
