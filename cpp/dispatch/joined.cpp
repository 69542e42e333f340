#include "dispatch/joined.hpp"

#include "dispatch/dispatch.hpp"
#include "gpu/joined_task.hpp"

namespace metalmom::dispatch {

bool run_joined(std::vector<std::unique_ptr<gpu::Task>> tasks, Question question,
                std::span<const float> unchecked, gpu::KeptAudio* kept) {
  if constexpr (!gpu::built) return false;
  gpu::JoinedTask joined;
  for (auto& task : tasks) joined.add(std::move(task));
  question.load.in_bytes = kept && kept->filled() ? 0 : joined.in_bytes();
  question.load.out_bytes = joined.out_bytes();
  question.load.batch = joined.batch();
  Decision decision = choose(question);
  if (decision.devices.empty()) return false;
  static constexpr trace::Site site{"together on the GPU", trace::Category::engine};
  trace::Span span(site);
  const CounterArgs gained;
  gpu::KeptAudio own;
  own.is_read_again = false;
  const bool done = run_on_devices(decision, question.op, joined, unchecked, kept ? kept : &own);
  if (span.on()) gained.report(span);
  return done;
}

}  // namespace metalmom::dispatch
