#include "base/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"

namespace metalmom {

namespace fs = std::filesystem;

namespace {

constexpr std::array<std::string_view, 29> audio_suffixes{
    ".aac", ".ac3",  ".aif", ".aifc", ".aiff", ".amr",  ".ape",  ".au",  ".caf", ".flac",
    ".m4a", ".m4b",  ".mka", ".mkv",  ".mov",  ".mp2",  ".mp3",  ".mp4", ".oga", ".ogg",
    ".ogv", ".opus", ".snd", ".w64",  ".wav",  ".wave", ".webm", ".wma", ".wv"};

bool has_audio_suffix(const fs::path& path) {
  std::string suffix = path.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::find(audio_suffixes, suffix) != audio_suffixes.end();
}

// The first byte of a file that is neither white space nor of a byte-order mark; EOF if there is
// none.
int first_byte(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  int c = file.get();
  while (c != EOF && (std::isspace(c) || c == 0xEF || c == 0xBB || c == 0xBF)) c = file.get();
  return c;
}

bool is_of(OutputFile::Kind kind, int first) {
  if (first == EOF || kind == OutputFile::Kind::any) return true;
  return kind == OutputFile::Kind::json ? first == '{' || first == '[' : first == '<';
}

// Makes an empty file of a new name in the folder of `path`.
std::string make_beside(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  for (int attempt = 0;; ++attempt) {
    const std::string beside =
        folder / (".metalmom-" + std::to_string(getpid()) + "-" + std::to_string(attempt));
    const int file = open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0) {
      close(file);
      return beside;
    }
    if (errno != EEXIST) throw FileError(path, errno);
  }
}

}  // namespace

OutputFile::OutputFile(const std::string& path, Kind kind, std::string_view name) : path_(path) {
  const std::string_view what = kind == Kind::json ? "JSON" : "a page";
  if (kind != Kind::any && has_audio_suffix(path))
    throw_parameter(name, to_text(path),
                    "no name of an audio file: it is to hold " + std::string(what));
  // A symbolic link is kept: the file that it leads to is replaced.
  std::error_code error;
  if (const fs::path real = fs::weakly_canonical(path, error); !error && !path.empty())
    path_ = real.string();

  struct stat status;
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) throw FileError(path, EISDIR);
  if (exists && access(path_.c_str(), W_OK) != 0) throw FileError(path, errno);
  if (exists && !S_ISREG(status.st_mode)) {
    beside_ = path_;
    return;
  }
  if (exists && !is_of(kind, first_byte(path_)))
    throw_parameter(name, to_text(path),
                    "a new file or " + std::string(what) + ": this one holds something else");
  try {
    beside_ = make_beside(path_);
  } catch (const FileError& refused) {
    throw FileError(path, refused.code);
  }
  if (exists) chmod(beside_.c_str(), status.st_mode & 07777);
}

void OutputFile::discard() {
  if (!beside_.empty() && beside_ != path_) unlink(beside_.c_str());
  beside_.clear();
}

void OutputFile::keep() {
  if (beside_ == path_) return;
  if (rename(beside_.c_str(), path_.c_str()) != 0) throw FileError(path_, errno);
  beside_.clear();
}

}  // namespace metalmom
