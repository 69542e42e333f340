// The instructions of a loop, counted by Callgrind in a process of its own, so that they are the
// same in every run: a test runs the loop where `loop_variable` names it, and asks here for it
// elsewhere.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace metalmom::test {

inline constexpr const char* loop_variable = "METALMOM_COST_LOOP";

// The loop that this process is to run, if any.
inline std::string loop_to_run() {
  const char* const name = std::getenv(loop_variable);
  return name ? name : "";
}

// Why nothing can be counted here; empty where it can.
inline std::string why_uncounted() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  return "counts are of optimised code";
#else
  return std::system("valgrind --version >/dev/null 2>&1") == 0 ? "" : "valgrind is not installed";
#endif
}

// Instructions within the function cost_loop_<loop>, which `test` calls; negative where Valgrind
// cannot run this binary.
inline double instructions(const std::string& loop, const std::string& test) {
  const auto out = std::filesystem::temp_directory_path() /
                   ("metalmom-cost-" + loop + "-" + std::to_string(getpid()));
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      std::string(loop_variable) + "=" + loop + " valgrind -q --tool=callgrind" +
      " --callgrind-out-file=" + out.string() + " --toggle-collect=cost_loop_" + loop + " '" +
      self + "' --gtest_filter=" + test + " >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) return -1;
  std::ifstream file(out);
  std::string line;
  double total = -1;
  while (std::getline(file, line))
    if (line.starts_with("summary:") || line.starts_with("totals:"))
      total = std::stod(line.substr(line.find(':') + 1));
  file.close();
  std::filesystem::remove(out);
  return total;
}

}  // namespace metalmom::test
