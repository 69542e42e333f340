#include "trace/hooks.hpp"

#include <atomic>
#include <cstdint>

#include "base/cache.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "trace/naming.hpp"
#include "trace/signals.hpp"
#include "trace/trace.hpp"

namespace metalmom::trace {

namespace {

bool detailed() {
  return detail_enabled.load(std::memory_order_relaxed);
}

void end_token(void* token) noexcept {
  if (token) detail::end(static_cast<detail::OpenSpan*>(token));
}

constexpr StageHook stages{[](const char* name) noexcept -> void* {
                             return detailed() ? detail::begin(name, Category::engine) : nullptr;
                           },
                           end_token};

constexpr StageHook making{[](const char* name) noexcept -> void* {
                             return enabled.load(std::memory_order_relaxed)
                                        ? detail::begin(name, Category::engine)
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

std::atomic<std::int64_t> late_blocks{0};  // of all streams, while somebody recorded

// A block is a span on the row of its thread. A late one says how many of that
// stream were, is counted on a track of all streams, and may wake the flight recorder.
void write_block(const TimedBlock& block) noexcept {
  if (!enabled.load(std::memory_order_relaxed)) return;
  ask_for_name();
  const Arg args[] = {{"samples", block.samples}, {"late", block.late}};
  const Site site{intern(block.stream), Category::bridge};
  complete_between(site, block.begin, block.end, std::span(args, block.late ? 2 : 1));
  if (!block.late) return;
  static constexpr Site track{"late blocks", Category::bridge};
  counter(track, late_blocks.fetch_add(1, std::memory_order_relaxed) + 1);
  tell_of_late_block();
}

}  // namespace

void hear(bool on) {
  block_hook.store(on ? write_block : nullptr, std::memory_order_relaxed);
  making_hook.store(on ? &making : nullptr, std::memory_order_relaxed);
}

// The worker hook is not removed, since a worker may be between its two calls; it checks whether
// somebody records.
void hear_details(bool on) {
  stage_hook.store(on ? &stages : nullptr, std::memory_order_relaxed);
  if (on) set_worker_hook({begin_worker, end_token});
}

}  // namespace metalmom::trace
