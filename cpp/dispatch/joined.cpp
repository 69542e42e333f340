#include "dispatch/joined.hpp"

#include "dispatch/dispatch.hpp"
#include "gpu/joined_task.hpp"

namespace metalmom::dispatch {

bool run_joined(Tasks tasks, std::string_view op, Decision& decision,
                std::span<const float> unchecked, gpu::KeptAudio* kept) {
  if constexpr (!gpu::built) return false;
  if (decision.devices.empty()) return false;
  gpu::JoinedTask joined;
  for (auto& task : tasks) joined.add(std::move(task));
  static constexpr trace::Site site{"together on the GPU", trace::Category::engine};
  trace::Span span(site);
  const CounterArgs gained;
  gpu::KeptAudio own;
  own.is_read_again = false;
  const bool done = run_on_devices(decision, op, joined, unchecked, kept ? kept : &own);
  if (span.on()) gained.report(span);
  return done;
}

}  // namespace metalmom::dispatch
