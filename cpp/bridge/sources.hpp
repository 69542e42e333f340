// What Python code may pass for an audio file, as a source of the io layer.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>

#include "io/source.hpp"

namespace metalmom::bridge {

struct NamedSource {
  std::unique_ptr<io::Source> source;
  std::string name;  // for messages
};

// A path (str, bytes, os.PathLike), an integer descriptor (which is closed afterwards), a binary
// file object (one that cannot seek is read to its end), or the encoded bytes themselves. `bytes`
// are a path, as they are for soundfile, unless they hold a zero, which every audio file does and
// no path can.
NamedSource to_source(const pybind11::object& object);

}  // namespace metalmom::bridge
