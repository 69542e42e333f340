#include "dispatch/joined.hpp"

#include "dispatch/dispatch.hpp"

namespace metalmom::dispatch {

namespace {
constexpr trace::Site together_site{"together on the GPU", trace::Category::engine};
}

bool run_joined(Tasks tasks, std::string_view op, Decision& decision,
                std::span<const float> unchecked, gpu::KeptAudio* kept) {
  if constexpr (!gpu::built) return false;
  if (!decision.device) return false;
  gpu::JoinedTask joined;
  for (auto& task : tasks) joined.add(std::move(task));
  trace::Span span(together_site);
  const CounterArgs gained;
  gpu::KeptAudio own;
  own.is_read_again = false;
  const bool done = run_on_device(decision, op, joined, unchecked, kept ? kept : &own);
  if (span.on()) gained.report(span);
  return done;
}

bool run_side_by_side(std::span<gpu::ClipTask* const> clips, const Decision& decision) {
  if constexpr (!gpu::built) return false;
  trace::Span span(together_site);
  const CounterArgs gained;
  try {
    gpu::run_side_by_side(*decision.device, clips);
  } catch (const gpu::DeviceFailed&) {
    for (const gpu::ClipTask* each : clips)
      if (each->kept) each->kept->give_up();
    return false;
  }
  if (span.on()) {
    span.arg("clips", std::ssize(clips));
    gained.report(span);
  }
  return true;
}

}  // namespace metalmom::dispatch
