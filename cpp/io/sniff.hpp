// What a file is, by its first bytes: for messages, and to know who may decode it.
#pragma once

#include <string_view>

#include "io/source.hpp"

namespace metalmom::io {

struct Kind {
  std::string_view name;  // "FLAC", "MPEG-4 (AAC or ALAC, .m4a or .mp4)"; empty: unknown
  bool libsndfile_only;   // where libsndfile fails, the file is damaged
};

Kind sniff(Source& source);

// Whether the file says of itself that it is longer than it is: a WAVE, RF64, Wave64 or AIFF
// chunk beyond the end, an Ogg stream without its last page, an MP3 shorter than its Xing header
// counts. libsndfile decodes such a file to wherever it ends and calls that success.
bool breaks_off(Source& source);

}  // namespace metalmom::io
