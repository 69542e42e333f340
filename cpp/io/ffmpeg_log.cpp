#include "io/ffmpeg_log.hpp"

#include <array>
#include <sstream>
#include <string_view>

namespace metalmom::io {

namespace {

// What ffmpeg only warns of.
struct Sign {
  std::string_view text;
  const char* meaning;
};
constexpr std::array signs{
    // It takes almost anything for MP3 when nothing else fits, and plays it as noise.
    Sign{"misdetection possible", "no known audio format"},
    // A film whose sound is a link: it plays other bytes of the film in its place.
    Sign{"Skipped opening external track", "its sound lies in another file, which is not opened"},
    // Of Matroska, whose end it takes for the end of the samples.
    Sign{"File ended prematurely", "its end is missing"},
};

}  // namespace

std::string objection_in(const std::string& log) {
  for (const auto& [text, meaning] : signs)
    if (log.find(text) != log.npos) return meaning;
  return "";
}

// The last line that does not merely say that the input could not be opened, without the component
// and address that ffmpeg puts before it.
Reason reason_in(const std::string& log, const std::string& input) {
  std::istringstream lines(log);
  std::string text, verdict;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("not on whitelist") != line.npos)
      return {"it is a playlist, or of another format that holds no audio itself", {}};
    if (const auto end = line.find("] "); line.starts_with('[') && end != line.npos)
      line.erase(0, end + 2);
    const bool is_verdict = line.starts_with(input + ": ") || line.starts_with("Error open");
    if (const auto cause = line.rfind(": "); is_verdict && cause != line.npos)
      verdict = line.substr(cause + 2);
    else if (!is_verdict && !line.empty() && line[0] != ' ')  // not how often it was said
      text = line;
  }
  if (text.empty()) text = verdict;
  return text.empty() ? Reason{"ffmpeg failed", {}} : Reason{{}, text};
}

}  // namespace metalmom::io
