// A bounded, thread-safe map from keys to shared immutable values: plans, windows, bases.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/counters.hpp"
#include "base/fork.hpp"

namespace metalmom {

template <class Key, class Value>
class Cache {
 public:
  explicit Cache(std::size_t capacity) : capacity_(capacity) {}

  // The value of `key`, made by `make()` on a miss. The lock is not held while making: two threads
  // may make the same value, and the first one stays.
  template <class Make>
  std::shared_ptr<const Value> get(const Key& key, Make&& make) {
    State& s = state_.get();
    {
      std::lock_guard lock(s.mutex);
      if (auto found = s.map.find(key); found != s.map.end()) {
        ++counters().cache_hits;
        s.order.splice(s.order.begin(), s.order, found->second);
        return found->second->second;
      }
    }
    ++counters().cache_misses;
    std::shared_ptr<const Value> made = make();
    std::lock_guard lock(s.mutex);
    if (auto found = s.map.find(key); found != s.map.end()) return found->second->second;
    s.order.emplace_front(key, made);
    s.map.emplace(key, s.order.begin());
    if (s.map.size() > capacity_) {
      s.map.erase(s.order.back().first);
      s.order.pop_back();
    }
    return made;
  }

 private:
  using Entry = std::pair<Key, std::shared_ptr<const Value>>;
  struct State {
    std::mutex mutex;
    std::list<Entry> order;  // most recently used first
    std::map<Key, typename std::list<Entry>::iterator> map;
  };
  std::size_t capacity_;
  ForkLocal<State> state_;
};

}  // namespace metalmom
