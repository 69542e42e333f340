// Which calls of the fake CUDA are to fail, and how often each was made.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace metalmom::testing {

class FakeOrders {
 public:
  void fail(const std::string& function, int count, int skip) {
    std::lock_guard lock(mutex_);
    failing_[function] = {skip, count};
  }
  int calls(const std::string& function) {
    std::lock_guard lock(mutex_);
    return called_[function];
  }
  void clear() {
    std::lock_guard lock(mutex_);
    failing_.clear();
    called_.clear();
  }
  // To be asked once a call.
  bool fails(const std::string& function) {
    std::lock_guard lock(mutex_);
    ++called_[function];
    auto& [skip, count] = failing_[function];
    if (count == 0) return false;
    if (skip > 0) {
      --skip;
      return false;
    }
    --count;
    return true;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::pair<int, int>> failing_;  // skip, count
  std::map<std::string, int> called_;
};

}  // namespace metalmom::testing
