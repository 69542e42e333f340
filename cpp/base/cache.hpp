// Thread-safe maps from keys to shared immutable values: plans, windows, bases. All caches of the
// process together keep at most most_cached_bytes; what was used longest ago leaves first, from
// whichever cache it is in.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "base/counters.hpp"
#include "base/fork.hpp"
#include "base/stage.hpp"

namespace metalmom {

inline constexpr std::size_t most_cached_bytes = std::size_t{64} << 20;

// What all caches keep.
std::size_t cached_bytes();
// Empties them; returns the bytes that they kept. What calls still use lives until they end.
std::size_t release_cached_values();

namespace detail {

// A value in its cache, and its place in the common list that decides what leaves first.
class CachedValue {
 public:
  virtual ~CachedValue() = default;
  // Takes the value out of its cache, which destroys this object.
  virtual std::shared_ptr<const void> leave() = 0;

  std::size_t bytes = 0;
  std::list<CachedValue*>::iterator place;
};

struct CachedValues {
  std::mutex mutex;               // of the list, and of the maps of all caches
  std::list<CachedValue*> order;  // most recently used first
  std::size_t bytes = 0;
};

CachedValues& cached_values();
void shrink_cached_values(std::size_t most_bytes);

template <class Value>
std::size_t held_bytes(const Value& value) {
  if constexpr (requires { value.span(); })
    return value.span().size_bytes();
  else
    return value.bytes();
}

template <class Key>
std::size_t key_bytes(const Key& key) {
  if constexpr (requires { key.bytes(); })
    return key.bytes();
  else
    return sizeof(Key);
}

}  // namespace detail

// A Value is a Buffer, or says by bytes() how much it holds, what it shares with others included;
// so does a Key that holds memory.
template <class Key, class Value, class Less = std::less<Key>>
class Cache {
 public:
  // What making a value is called in a trace: "build mel filters".
  explicit Cache(const char* making) : making_(making) {}

  // The value of `key`, made by `make()` on a miss. The lock is not held while making: two threads
  // may make the same value, and the first one stays. A value above the bound is not kept.
  // `key` is a Key, or what Less compares with one and a Key is made of.
  template <class Asked = Key, class Make>
  std::shared_ptr<const Value> get(const Asked& key, Make&& make) {
    detail::CachedValues& all = detail::cached_values();
    Map& map = map_.get();
    {
      std::lock_guard lock(all.mutex);
      if (auto found = map.find(key); found != map.end()) {
        ++counters().cache_hits;
        all.order.splice(all.order.begin(), all.order, found->second.place);
        return found->second.value;
      }
    }
    ++counters().cache_misses;
    std::shared_ptr<const Value> made = [&] {
      const Stage making(making_, making_hook);
      return make();
    }();
    Key own(key);
    const std::size_t bytes =
        detail::held_bytes(*made) + detail::key_bytes(own) + sizeof(Entry) + node_bytes;
    if (bytes > most_cached_bytes) return made;
    {
      std::list<detail::CachedValue*> place(1);
      std::lock_guard lock(all.mutex);
      const auto [at, is_new] = map.try_emplace(std::move(own));
      Entry& entry = at->second;
      if (!is_new) return entry.value;
      entry.value = made;
      entry.cache = this;
      entry.key = &at->first;
      entry.bytes = bytes;
      entry.place = place.begin();
      *entry.place = &entry;
      all.order.splice(all.order.begin(), place);
      all.bytes += bytes;
    }
    detail::shrink_cached_values(most_cached_bytes);
    return made;
  }

 private:
  // What a map's node and a list's node take beside key and value, with the allocator's overhead.
  static constexpr std::size_t node_bytes = 128;

  struct Entry final : detail::CachedValue {
    std::shared_ptr<const Value> value;
    Cache* cache = nullptr;
    const Key* key = nullptr;

    std::shared_ptr<const void> leave() override {
      std::shared_ptr<const void> kept = std::move(value);
      Map& map = cache->map_.get();
      map.erase(map.find(*key));
      return kept;
    }
  };
  using Map = std::map<Key, Entry, Less>;
  const char* making_;
  ForkLocal<Map> map_;
};

}  // namespace metalmom
