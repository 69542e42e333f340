// The only exceptions of the engine. The bridge maps each to its Python class.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace metalmom {

// A wrong argument. Texts have the form `name=value must be rule`.
struct ParameterError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// A file or stream that cannot be decoded or resampled; the text is both parts and names the file.
// They are apart because a decoder's last words may differ from run to run: any of its threads may
// have them.
struct AudioError : std::runtime_error {
  explicit AudioError(const std::string& what_is_wrong, const std::string& last_words = {})
      : std::runtime_error(what_is_wrong + last_words), fault(what_is_wrong), words(last_words) {}
  std::string fault, words;
};

// A path that the operating system refuses; `code` is its errno. Python shows the subclass of
// OSError that fits: FileNotFoundError, IsADirectoryError, PermissionError ...
struct FileError : std::runtime_error {
  FileError(std::string file, int error);
  std::string path;
  int code;
};

// A device that was asked for and cannot do the work.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string to_text(double value);
std::string to_text(std::string_view value);

[[noreturn]] void throw_parameter(std::string_view name, std::string_view value,
                                  std::string_view rule);

template <class T>
void require(bool holds, std::string_view name, const T& value, std::string_view rule) {
  if (!holds) [[unlikely]] {
    if constexpr (std::is_arithmetic_v<T>)
      throw_parameter(name, to_text(static_cast<double>(value)), rule);
    else
      throw_parameter(name, to_text(std::string_view(value)), rule);
  }
}

}  // namespace metalmom
