#include "trace/hooks.hpp"

#include "base/cache.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "trace/trace.hpp"

namespace metalmom::trace {

namespace {

bool detailed() { return detail_enabled.load(std::memory_order_relaxed); }

void end_token(void* token) noexcept {
  if (token) detail::end(static_cast<detail::OpenSpan*>(token));
}

constexpr StageHook stages{
    [](const char* name) noexcept -> void* {
      return detailed() ? detail::begin(name, Category::engine) : nullptr;
    },
    end_token};

constexpr StageHook making{
    [](const char* name) noexcept -> void* {
      return enabled.load(std::memory_order_relaxed) ? detail::begin(name, Category::engine)
                                                     : nullptr;
    },
    end_token};

void* begin_worker(Index first, Index last) noexcept {
  if (!detailed()) return nullptr;
  detail::OpenSpan* span = detail::begin("worker", Category::engine);
  if (span) {
    span->add(Arg("first", first));
    span->add(Arg("last", last));
  }
  return span;
}

}  // namespace

void install_hooks() {
  stage_hook.store(&stages, std::memory_order_relaxed);
  set_worker_hook({begin_worker, end_token});
}

// The worker hook is not removed, since a worker may be between its two calls; it checks whether
// somebody records.
void remove_hooks() { stage_hook.store(nullptr, std::memory_order_relaxed); }

void hear_caches(bool on) {
  making_hook.store(on ? &making : nullptr, std::memory_order_relaxed);
}

}  // namespace metalmom::trace
