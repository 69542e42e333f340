// The resident memory of the process as a counter track. A thread samples it while somebody holds one of
// these, and there is none else.
#pragma once

namespace metalmom::trace {

class HostMemoryTrack {
 public:
  HostMemoryTrack();
  ~HostMemoryTrack();
  HostMemoryTrack(const HostMemoryTrack&) = delete;

 private:
  const void* mine_;  // the sampler that counts this
};

}  // namespace metalmom::trace
