// A file of results: refused before the work where it cannot be written or would replace something
// else, and never seen half written.
#pragma once

#include <string>
#include <string_view>

namespace metalmom {

class OutputFile {
 public:
  // What the file will hold: JSON and pages replace only their like, and are not named as audio is.
  enum class Kind { json, page, any };

  // Makes an empty file in the same folder. `name` is the argument that holds the path, for errors.
  // Throws ParameterError for audio or a file of another kind, FileError for what the system
  // refuses.
  OutputFile(const std::string& path, Kind kind, std::string_view name);
  ~OutputFile() { discard(); }
  OutputFile(const OutputFile&) = delete;

  // Where to write. A device or a pipe is written in place.
  const std::string& beside() const { return beside_; }

  // Puts what was written in its place, or removes it if that was not done.
  void keep();
  void discard();

 private:
  std::string path_, beside_;
};

}  // namespace metalmom
