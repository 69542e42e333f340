// Spans and point events on one clock. A site is a constant; a span that is off costs one relaxed
// load and a branch.
#pragma once

#include <atomic>
#include <cstdint>

namespace metalmom::trace {

enum class Category : std::uint8_t { bridge, engine, gpu, user };

// Where a span is written: a constant with static storage, its name never freed.
struct Site {
  const char* name;
  Category category;
};

inline std::atomic<bool> enabled{false};

class Span {
 public:
  explicit Span(const Site& site) {
    if (enabled.load(std::memory_order_relaxed)) [[unlikely]] begin(site);
  }
  ~Span() {
    if (site_) [[unlikely]] end();
  }
  Span(const Span&) = delete;

  bool on() const { return site_ != nullptr; }
  // Details shown on click. Keys and text values have static storage.
  void arg(const char* key, std::int64_t value);
  void arg(const char* key, double value);
  void arg(const char* key, const char* value);

 private:
  void begin(const Site& site);
  void end();
  const Site* site_ = nullptr;
  std::int64_t start_ = 0;
};

}  // namespace metalmom::trace
