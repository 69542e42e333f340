#include "gpu/clip_range.hpp"

namespace metalmom::gpu {

ClipRange::ClipRange(const Task& whole, Index first, Index n_clips) : whole_(whole), first_(first) {
  const auto part = [&](HostArray array) {
    if (array.batch == 1) return array;
    const Index values = first * array.rows * array.cols;
    array.data = static_cast<std::byte*>(array.data) +
                 static_cast<std::size_t>(values) * array.host_item_bytes();
    array.batch = n_clips;
    return array;
  };
  for (const HostArray& each : whole.inputs()) inputs_.push_back(part(each));
  for (const HostArray& each : whole.outputs()) outputs_.push_back(part(each));
}

}  // namespace metalmom::gpu
