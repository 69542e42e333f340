// What ffmpeg's log says of a file.
#pragma once

#include <string>

namespace metalmom::io {

// Why a file must not be decoded though ffmpeg does; empty where nothing speaks against it.
std::string objection_in(const std::string& log);

// Why ffmpeg did not decode a file, as far as it is known, and what ffmpeg said last, if that says why:
// one of the two.
struct Reason {
  std::string known, last_line;
};
// `input`: what ffmpeg calls the file.
Reason reason_in(const std::string& log, const std::string& input);

}  // namespace metalmom::io
