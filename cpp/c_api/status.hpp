// Where exceptions of the engine end: as a status, with their text kept for the thread.
#pragma once

#include <new>
#include <string_view>

#include "base/error.hpp"
#include "base/subnormals.hpp"
#include "c_api/metalmom.h"

namespace metalmom::c_api {

// Keeps what metalmom_last_error() says, cut to what there is room for.
void keep_error(std::string_view text) noexcept;

inline metalmom_status bad_argument(std::string_view text) noexcept {
  keep_error(text);
  return METALMOM_BAD_ARGUMENT;
}

template <class F>
metalmom_status guarded(F&& body) noexcept {
  const SubnormalsFlushed arithmetic;
  try {
    body();
    return METALMOM_OK;
  } catch (const std::bad_alloc&) {
    keep_error("out of memory");
    return METALMOM_NO_MEMORY;
  } catch (const ParameterError& error) {
    keep_error(error.what());
    return METALMOM_BAD_ARGUMENT;
  } catch (const std::exception& error) {
    keep_error(error.what());
    return METALMOM_FAILED;
  } catch (...) {
    keep_error("an unknown failure");
    return METALMOM_FAILED;
  }
}

inline void require_channels(int64_t channels) {
  require(channels >= 1 && channels <= 1024, "channels", channels, "from 1 to 1024");
}

}  // namespace metalmom::c_api
