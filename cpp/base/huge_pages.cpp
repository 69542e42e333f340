#include "base/huge_pages.hpp"

#include <sys/mman.h>

#include <cstdint>

#include "base/ceil_div.hpp"

namespace metalmom {

void ask_for_huge_pages([[maybe_unused]] void* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t page = 4096;  // madvise takes addresses that are multiples of it
  const auto at = reinterpret_cast<std::uintptr_t>(begin), first = round_up(at, page);
  if (first < at + bytes)
    madvise(reinterpret_cast<void*>(first), at + bytes - first, MADV_HUGEPAGE);
#endif
}

}  // namespace metalmom
