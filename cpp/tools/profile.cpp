// metalmom-profile: the main job without Python, with the table, the JSON and the trace of
// `metalmom profile`.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <new>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/subnormals.hpp"
#include "base/workers.hpp"
#include "dispatch/setting.hpp"
#include "tools/report.hpp"
#include "trace/chrome.hpp"
#include "trace/trace.hpp"

namespace metalmom::tools {

namespace {

constexpr const char* usage =
    "usage: metalmom-profile [--json OUT] [--trace OUT] [--detail] [--graph] [--repeat N]\n"
    "                        [--threads N] [--backend NAME] [--demo | FILE]\n"
    "\n"
    "Analyse a song and show the time of each stage; without FILE, the demo song. --graph runs "
    "the\n"
    "stages also as one graph: the time and share of its nodes, and its critical path. OUT may be "
    "-:\n"
    "standard output, instead of the table.\n";

struct Options {
  std::string file, json, trace, backend;
  int repeat = 1, threads = 0;
  bool detail = false, graph = false;
};

std::optional<int> positive(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

// The options, or nothing if the usage is wrong.
std::optional<Options> parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    const auto value = [&]() -> std::string_view { return i + 1 < argc ? argv[++i] : ""; };
    std::string* text = name == "--json"      ? &options.json
                        : name == "--trace"   ? &options.trace
                        : name == "--backend" ? &options.backend
                                              : nullptr;
    int* number = name == "--repeat"    ? &options.repeat
                  : name == "--threads" ? &options.threads
                                        : nullptr;
    if (text) {
      *text = value();
      if (text->empty()) return std::nullopt;
    } else if (number) {
      const auto given = positive(value());
      if (!given) return std::nullopt;
      *number = *given;
    } else if (name == "--detail") {
      options.detail = true;
    } else if (name == "--graph") {
      options.graph = true;
    } else if (name == "--" && i + 2 == argc) {
      options.file = argv[++i];
    } else if (name.starts_with("-") && name != "--demo") {
      return std::nullopt;
    } else if (name != "--demo") {
      if (!options.file.empty()) return std::nullopt;
      options.file = name;
    }
  }
  return options;
}

// The times of one run. A stage begins when the one before it ends, so that stages add up to the
// total.
std::vector<StageTime> run_once(MainJob& job) {
  std::vector<StageTime> stages;
  std::int64_t begin = trace::now_ns();
  for (const MainJob::Stage& stage : MainJob::stages) {
    const trace::Site site{stage.name, trace::Category::user};
    MainJob::Shape shape;
    {
      const trace::Span span(site);
      shape = (job.*stage.run)();
    }
    const std::int64_t end = trace::now_ns();
    stages.push_back({stage.name, shape, static_cast<double>(end - begin) / 1e6});
    begin = end;
  }
  return stages;
}

double total(const std::vector<StageTime>& stages) {
  double sum = 0;
  for (const StageTime& stage : stages) sum += stage.ms;
  return sum;
}

void run_graph(MainJob& job, Report& report) {
  const trace::Site site{"graph of the job", trace::Category::user};
  const trace::Span span(site);
  const std::int64_t begin = trace::now_ns();
  report.graph = job.graph();
  report.graph_ms = static_cast<double>(trace::now_ns() - begin) / 1e6;
}

Report run_job(const Song& song, int repeat, bool as_graph) {
  Report report;
  std::vector<std::vector<StageTime>> runs;
  for (int i = 0; i < repeat; ++i) {
    MainJob job(song);
    runs.push_back(run_once(job));
    report.samples = job.n_samples();
    report.tempo = job.tempo();
    report.beats = job.beats();
    if (as_graph) run_graph(job, report);
  }
  std::sort(runs.begin(), runs.end(), [](auto& a, auto& b) { return total(a) < total(b); });
  report.file = song.name;
  report.repeat = repeat;
  report.threads = thread_count();
  report.backend = dispatch::setting_name(*dispatch::current_setting());
  report.stages = runs[(runs.size() - 1) / 2];
  report.total_ms = total(report.stages);
  std::vector<double> totals;
  for (const auto& run : runs) totals.push_back(total(run));
  report.total_spread_ms = spread(totals);
  for (std::size_t s = 0; s < report.stages.size(); ++s) {
    std::vector<double> times;
    for (const auto& run : runs) times.push_back(run[s].ms);
    report.stages[s].spread_ms = spread(times);
  }
  return report;
}

// What was asked for and cannot be written is refused before the work.
void require_writable(const std::string& path, std::string_view option) {
  if (!path.empty() && path != "-") OutputFile(path, OutputFile::Kind::json, option);
}

void write(const std::string& path, std::string_view option, const std::string& text) {
  if (path == "-") {
    std::fputs(text.c_str(), stdout);
    return;
  }
  OutputFile output(path, OutputFile::Kind::json, option);
  std::ofstream file(output.beside(), std::ios::binary);
  if (!(file << text).flush()) throw FileError(path, errno);
  output.keep();
}

std::string chrome_text(const trace::Recording& recording) {
  std::ostringstream text;
  trace::write_chrome(text, recording.snapshot());
  return text.str();
}

int run(const Options& options) {
  const SubnormalsFlushed arithmetic;
  require_writable(options.json, "--json");
  require_writable(options.trace, "--trace");
  if (options.threads > 0) set_default_threads(options.threads);
  if (!options.backend.empty())
    dispatch::set_default_setting(std::make_shared<const dispatch::Setting>(
        dispatch::parse_setting("backend", options.backend)));
  std::optional<trace::Recording> recording;
  if (!options.trace.empty()) recording.emplace(options.detail);
  const Song song = options.file.empty() ? demo_song() : Song{options.file, {}};
  const Report report = run_job(song, options.repeat, options.graph);
  if (recording) {
    recording->close();
    write(options.trace, "--trace", chrome_text(*recording));
  }
  if (!options.json.empty()) write(options.json, "--json", json(report));
  if (options.json != "-" && options.trace != "-") std::fputs(table(report).c_str(), stdout);
  return 0;
}

}  // namespace

}  // namespace metalmom::tools

int main(int argc, char** argv) {
  namespace tools = metalmom::tools;
  if (argc == 2 && (std::string_view(argv[1]) == "--help" || std::string_view(argv[1]) == "-h")) {
    std::fputs(tools::usage, stdout);
    return 0;
  }
  const auto options = tools::parse(argc, argv);
  if (!options) {
    std::fputs(tools::usage, stderr);
    return 2;
  }
  try {
    return tools::run(*options);
  } catch (const std::bad_alloc&) {
    std::fputs("metalmom-profile: there is not enough memory for this\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "metalmom-profile: %s\n", error.what());
  }
  return 1;
}
