#include "c_api/status.hpp"

#include <algorithm>
#include <array>

namespace metalmom::c_api {

namespace {

thread_local std::array<char, 512> last_error{};

}  // namespace

void keep_error(std::string_view text) noexcept {
  const auto end =
      std::copy_n(text.begin(), std::min(text.size(), last_error.size() - 1), last_error.begin());
  *end = '\0';
}

}  // namespace metalmom::c_api

extern "C" {

const char* metalmom_status_text(metalmom_status status) {
  switch (status) {
    case METALMOM_OK:
      return "done";
    case METALMOM_BAD_ARGUMENT:
      return "an argument is wrong";
    case METALMOM_BAD_SAMPLES:
      return "a sample is not finite or too large";
    case METALMOM_NO_ROOM:
      return "the result has no room";
    case METALMOM_ENDED:
      return "the signal has ended";
    case METALMOM_NO_MEMORY:
      return "out of memory";
    case METALMOM_FAILED:
      break;
  }
  return "failed";
}

const char* metalmom_last_error(void) {
  return metalmom::c_api::last_error.data();
}

const char* metalmom_version(void) {
  return METALMOM_VERSION;
}

}  // extern "C"
