// Which device takes which clips of a batch.
#pragma once

#include <span>
#include <vector>

#include "gpu/run.hpp"

namespace metalmom::gpu {

struct Share {
  Device* device;
  Index clip, n_clips;
};

// Among how many devices a batch is divided that moves so many bytes: each has clips, and enough of
// them to outweigh a submission and the thread that makes it.
Index share_count(Index batch, double bytes, Index n_devices);

// The shares of a call, equal and in order, while it runs. A batch that needs fewer devices than
// there are gets those with the fewest calls under way, so that calls side by side spread out.
class Division {
 public:
  Division(std::span<Device* const> devices, const Task& task, const KeptAudio* kept);
  ~Division();
  Division(const Division&) = delete;

  std::span<const Share> shares() const { return shares_; }

 private:
  std::vector<Share> shares_;
};

}  // namespace metalmom::gpu
