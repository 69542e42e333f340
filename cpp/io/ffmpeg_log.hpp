// What ffmpeg's log says of a file.
#pragma once

#include <string>

namespace metalmom::io {

// Why a file must not be decoded though ffmpeg does; empty where nothing speaks against it.
std::string objection_in(const std::string& log);

// Why ffmpeg did not decode a file: what we know of that, or else the last line that ffmpeg said.
// The other one is empty.
struct Reason {
  std::string known, last_line;
};
// `input`: what ffmpeg calls the file.
Reason reason_in(const std::string& log, const std::string& input);

}  // namespace metalmom::io
