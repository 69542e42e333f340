// Runs every benchmark five times and prints its processor time, median +- standard deviation of
// the five, unless the command line asks for something else.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <string>
#include <vector>

namespace {

// One line a benchmark. What google-benchmark prints by itself is four, ends apart.
class Table : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& context) override {
    PrintBasicContext(&GetErrorStream(), context);
    std::printf("%-44s %12s    %8s %12s\n", "benchmark", "time, ns", "+-", "items/s");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    double nanoseconds = 0, deviation = 0, rate = 0;
    for (const Run& run : runs) {
      const double time =
          run.GetAdjustedCPUTime() / benchmark::GetTimeUnitMultiplier(run.time_unit);
      if (run.aggregate_name == "stddev") deviation = time * 1e9;
      if (run.aggregate_name != "median" && run.run_type == Run::RT_Aggregate) continue;
      nanoseconds = time * 1e9;
      if (const auto found = run.counters.find("items_per_second"); found != run.counters.end())
        rate = found->second;
    }
    const std::string name = runs.front().run_name.str();
    std::printf("%-44s %12.2f +- %8.2f %12.4g\n", name.c_str(), nanoseconds, deviation, rate);
    std::fflush(stdout);
  }
};

bool asks_for_a_format(const std::vector<std::string>& arguments) {
  for (const auto& each : arguments)
    if (each.starts_with("--benchmark_format") || each.starts_with("--benchmark_list")) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  // Defaults come first, so that what the user gives overrides them.
  std::string repetitions = "--benchmark_repetitions=5";
  std::string aggregates = "--benchmark_report_aggregates_only=true";
  std::vector<char*> arguments = {argv[0], repetitions.data(), aggregates.data()};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  const bool plain = asks_for_a_format({argv + 1, argv + argc});
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Table table;
  benchmark::RunSpecifiedBenchmarks(plain ? nullptr : &table);
  return 0;
}
