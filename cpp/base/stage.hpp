// Stages inside an op (gather, window and FFT, bands, store) and blocks of streams, reported to
// whoever installed a hook. ops, dsp and stream know nothing of tracing; what nobody looks at costs
// one relaxed load.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/index.hpp"

namespace metalmom {

struct StageHook {
  void* (*begin)(const char* name) noexcept;
  void (*end)(void* token) noexcept;
};

// Null unless a trace with detail is recorded. What it points to has static storage and is
// constant-initialised, so a relaxed load is enough.
inline std::atomic<const StageHook*> stage_hook{nullptr};
// Null unless a trace is recorded: then it hears what is made for caches.
inline std::atomic<const StageHook*> making_hook{nullptr};

namespace stage {
inline constexpr const char* gather = "gather";
inline constexpr const char* transform = "window+FFT";
inline constexpr const char* bands = "bands";
inline constexpr const char* peaks = "peaks";
inline constexpr const char* flux = "flux";
inline constexpr const char* filters = "filters";
inline constexpr const char* resample = "resample";
inline constexpr const char* store = "store";
inline constexpr const char* inverse = "inverse FFT";
inline constexpr const char* histogram = "histogram";
inline constexpr const char* shape = "shape";
inline constexpr const char* autocorrelation = "autocorrelation";
}  // namespace stage

// Reports the enclosing scope as a stage; without a name it does not. Names have static storage.
// Worth it for work of a microsecond or more: a block of frames, not a frame.
class Stage {
 public:
  explicit Stage(const char* name,
                 const std::atomic<const StageHook*>& installed = stage_hook) noexcept {
    if (const StageHook* hook = installed.load(std::memory_order_relaxed)) [[unlikely]] {
      if (!name) return;
      hook_ = hook;
      token_ = hook->begin(name);
    }
  }
  ~Stage() {
    if (hook_) [[unlikely]]
      hook_->end(token_);
  }
  Stage(const Stage&) = delete;

 private:
  const StageHook* hook_ = nullptr;
  void* token_ = nullptr;
};

// A block that a stream has taken, from one moment to another in ticks of base/clock.hpp.
struct TimedBlock {
  const char* stream;
  std::int64_t begin, end;
  Index samples;
  Index late;  // how many blocks have been late, with this one; 0: this one was not
};

// Null unless a trace is recorded.
inline std::atomic<void (*)(const TimedBlock& block) noexcept> block_hook{nullptr};

}  // namespace metalmom
