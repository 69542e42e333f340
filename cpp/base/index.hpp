// The integer of all sizes and positions, apart so that kernel sources, compiled for one
// instruction set, need nothing else.
#pragma once

#include <stdint.h>

namespace metalmom {

using Index = int64_t;

}  // namespace metalmom
