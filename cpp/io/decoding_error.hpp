// Why a file cannot be decoded, with what its decoder said last.
#pragma once

#include <string>

#include "base/error.hpp"

namespace metalmom::io {

// The text is both parts. They are apart because the last words may differ from run to run: any of a
// decoder's threads may have them.
struct DecodingError : AudioError {
  DecodingError(const std::string& what_is_wrong, const std::string& last_words)
      : AudioError(what_is_wrong + last_words), fault(what_is_wrong), words(last_words) {}
  std::string fault, words;
};

}  // namespace metalmom::io
