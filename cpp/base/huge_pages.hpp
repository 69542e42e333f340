// Large fresh memory is cleared by the system when it is first written: page by page, unless it was
// asked for huge ones, which takes a seventh of the time.
#pragma once

#include <cstddef>

namespace metalmom {

// Asks for huge pages in memory of which nothing was written yet. Where there are none, nothing
// happens.
void ask_for_huge_pages(void* begin, std::size_t bytes) noexcept;

}  // namespace metalmom
