// The instruction-count test of a span that is off: Callgrind counts the two loops below in a
// process of its own, once with and once without spans.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "base/stage.hpp"
#include "trace/trace.hpp"

namespace metalmom::trace {
namespace {

constexpr int repeats = 100'000;
constexpr Site site{"cost", Category::engine};

[[gnu::noinline]] void work(int i) { asm volatile("" ::"r"(i) : "memory"); }

}  // namespace

// Names that Callgrind can be told to look at.
extern "C" {
[[gnu::noinline, gnu::visibility("default")]] void cost_loop_plain() {
  for (int i = 0; i < repeats; ++i) work(i);
}
[[gnu::noinline, gnu::visibility("default")]] void cost_loop_spans() {
  for (int i = 0; i < repeats; ++i) {
    Span span(site);
    work(i);
  }
}
[[gnu::noinline, gnu::visibility("default")]] void cost_loop_stages() {
  for (int i = 0; i < repeats; ++i) {
    Stage stage(stage::bands);
    work(i);
  }
}
}

namespace {

constexpr const char* loop_variable = "METALMOM_COST_LOOP";

// The child's part: runs the loop that the variable names.
TEST(TraceCost, Loop) {
  const char* name = std::getenv(loop_variable);
  if (!name) GTEST_SKIP() << "run by TraceCost.DisabledSpan under Callgrind";
  const std::string loop = name;
  if (loop == "plain") cost_loop_plain();
  if (loop == "spans") cost_loop_spans();
  if (loop == "stages") cost_loop_stages();
}

double instructions(const std::string& loop) {
  const auto out = std::filesystem::temp_directory_path() /
                   ("metalmom-cost-" + loop + "-" + std::to_string(getpid()));
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      std::string(loop_variable) + "=" + loop + " valgrind -q --tool=callgrind" +
      " --callgrind-out-file=" + out.string() + " --toggle-collect=cost_loop_" + loop + " '" +
      self + "' --gtest_filter=TraceCost.Loop >/dev/null 2>&1";
  if (std::system(command.c_str()) != 0) return -1;
  std::ifstream file(out);
  std::string line;
  double total = -1;
  while (std::getline(file, line))
    if (line.starts_with("summary:") || line.starts_with("totals:"))
      total = std::stod(line.substr(line.find(':') + 1));
  file.close();
  std::filesystem::remove(out);
  return total / repeats;
}

TEST(TraceCost, DisabledSpanIsThreeInstructions) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  GTEST_SKIP() << "counts are of optimised code";
#endif
  if (std::system("valgrind --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "valgrind is not installed";
  const double plain = instructions("plain");
  if (plain <= 0) GTEST_SKIP() << "valgrind cannot run this binary";
  const double spans = instructions("spans"), stages = instructions("stages");
  ASSERT_GT(spans, plain);
  ASSERT_GT(stages, plain);
  // Half an instruction a loop is room for its prologue and for how the compiler counts.
  EXPECT_LE(spans - plain, 3.5);
  EXPECT_LE(stages - plain, 3.5);
  RecordProperty("instructions", std::to_string(spans - plain));
}

}  // namespace
}  // namespace metalmom::trace
