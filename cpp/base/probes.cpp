#include "base/probes.hpp"

#if METALMOM_USDT_BUILT
#include <sys/sdt.h>
#else
#define STAP_PROBE2(provider, name, first, second) \
  static_cast<void>(first), static_cast<void>(second)
#define STAP_PROBE3(provider, name, first, second, third) \
  static_cast<void>(first), static_cast<void>(second), static_cast<void>(third)
#endif

namespace metalmom::probes {

const bool built = METALMOM_USDT_BUILT;

void call_begin(const char* function, const void* id) noexcept {
  STAP_PROBE2(metalmom, call__begin, function, id);
}
void call_end(const char* function, const void* id) noexcept {
  STAP_PROBE2(metalmom, call__end, function, id);
}
void submission_begin(const char* device, const void* id) noexcept {
  STAP_PROBE2(metalmom, submission__begin, device, id);
}
void submission_end(const char* device, const void* id) noexcept {
  STAP_PROBE2(metalmom, submission__end, device, id);
}
void block(const char* stream, std::int64_t ns, std::int64_t late) noexcept {
  STAP_PROBE3(metalmom, block, stream, ns, late);
}

}  // namespace metalmom::probes
