#pragma once

#include <algorithm>
#include <fstream>
#include <string>

namespace metalmom {

// What the system calls this processor; empty where it does not say.
inline std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(std::min(line.size(), line.find(':') + 2));
  return {};
}

}  // namespace metalmom
