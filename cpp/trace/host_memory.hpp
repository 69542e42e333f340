// The resident memory of the process as a counter track. While one of these lives, a thread samples
// it and writes what has changed.
#pragma once

namespace metalmom::trace {

class HostMemoryTrack {
 public:
  HostMemoryTrack();
  ~HostMemoryTrack();
  HostMemoryTrack(const HostMemoryTrack&) = delete;

  // Lets the thread write a value also if it is that of before, which an earlier recording has.
  void ask() const;

 private:
  const void* mine_;  // the sampler that counts this
};

}  // namespace metalmom::trace
