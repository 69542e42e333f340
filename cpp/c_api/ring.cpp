// metalmom_ring: samples from one thread to another (stream/ring.hpp).
#include "stream/ring.hpp"

#include "c_api/status.hpp"

using namespace metalmom;

struct metalmom_ring {
  stream::Ring<float> engine;
};

extern "C" {

metalmom_status metalmom_ring_open(int64_t frames, int64_t channels, metalmom_ring** opened) {
  if (!opened) return c_api::bad_argument("opened must not be NULL");
  *opened = nullptr;
  return c_api::guarded([&] {
    c_api::require_channels(channels);
    require(frames >= 1 && frames <= Index{1} << 40, "frames", frames, "from 1 to 2**40");
    *opened = new metalmom_ring{{frames, channels}};
  });
}

void metalmom_ring_close(metalmom_ring* ring) {
  delete ring;
}

int64_t metalmom_ring_write(metalmom_ring* ring, const float* samples, int64_t count) {
  if (!ring || !samples || count < 1) return 0;
  return ring->engine.write({samples, 1, ring->engine.channels()}, count);
}

int64_t metalmom_ring_read(metalmom_ring* ring, float* samples, int64_t count) {
  if (!ring || !samples || count < 1) return 0;
  return ring->engine.read({samples, count, 1}, count);
}

int64_t metalmom_ring_lost(const metalmom_ring* ring) {
  return ring->engine.lost();
}

}  // extern "C"
