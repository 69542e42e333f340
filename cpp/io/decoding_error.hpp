// Why a file cannot be decoded.
#pragma once

#include <string>

#include "base/error.hpp"

namespace metalmom::io {

// The text is both parts. Of several threads of a decoder another one may have the last word each
// time.
struct DecodingError : AudioError {
  DecodingError(const std::string& what_is_wrong, const std::string& last_words)
      : AudioError(what_is_wrong + last_words), fault(what_is_wrong), words(last_words) {}
  std::string fault, words;
};

}  // namespace metalmom::io
