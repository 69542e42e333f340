// What a stream says to those who go on after the end of its signal.
#pragma once

#include "base/error.hpp"

namespace metalmom::stream {

inline void require_open(bool ended) {
  if (ended) throw ParameterError("the signal has ended: reset() begins another one");
}

}  // namespace metalmom::stream
