#include "dispatch/joined.hpp"

#include "base/error.hpp"
#include "gpu/joined_task.hpp"

namespace metalmom::dispatch {

bool run_joined(std::vector<std::unique_ptr<gpu::Task>> tasks, Question question,
                std::span<const float> unchecked) {
  if constexpr (!gpu::built) return false;
  gpu::JoinedTask joined;
  for (auto& task : tasks) joined.add(std::move(task));
  question.load.in_bytes = joined.in_bytes();
  question.load.out_bytes = joined.out_bytes();
  Decision decision = choose(question);
  if (!decision.device) return false;
  try {
    gpu::run_streamed(*decision.device, joined, unchecked);
    return true;
  } catch (const DeviceError& error) {
    if (decision.forced) throw;
    report_failure(decision, question.op, error.what());
    return false;
  }
}

}  // namespace metalmom::dispatch
