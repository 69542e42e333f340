#include "tools/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "base/json_text.hpp"
#include "base/processor.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::tools {

namespace {

template <class... Value>
std::string format(const char* pattern, Value... values) {
  std::array<char, 512> buffer;
  const int n = std::snprintf(buffer.data(), buffer.size(), pattern, values...);
  return {buffer.data(), std::min(static_cast<std::size_t>(n), buffer.size() - 1)};
}

std::string joined(const MainJob::Shape& shape) {
  std::string text;
  for (const Index n : shape) text += (text.empty() ? "" : ", ") + std::to_string(n);
  return text;
}

std::string cpu_model() {
  const std::string name = processor_name();
  return name.empty() ? "unknown" : name;
}

std::string quoted(std::string_view text) {
  std::string json;
  append_json_text(json, text);
  return json;
}

std::string line(const Report& report, const std::string& name, double ms, double spread_ms,
                 const std::string& what) {
  std::string text = format("%-8s%10.3f", name.c_str(), ms);
  if (report.repeat > 1) text += format(" +- %7.3f", spread_ms);
  return text + (what.empty() ? "" : "  " + what) + "\n";
}

double share(const Report& report, double ms) {
  return ms / report.graph_ms;
}

std::string times_json(const Report& report, double ms) {
  if (std::isnan(ms)) return "\"ms\": null, \"share\": null";
  return "\"ms\": " + to_text(ms) + ", \"share\": " + to_text(share(report, ms));
}

// The nodes as `metalmom profile --graph` names them: the stage, and the op that is a part of it.
std::string graph_table(const Report& report) {
  std::string text = format("\n%-8s%10.3f  all stages but load; *: the critical path, %.3f ms\n",
                            "graph", report.graph_ms, report.graph.critical_ms);
  const auto times = [&](double ms, bool critical) {
    const std::string took = std::isnan(ms) ? std::string(20, ' ')
                                            : format("%10.3f %8.1f%%", ms, share(report, ms) * 100);
    return took + (critical ? " *  " : "    ");
  };
  int wave = 0;
  for (const MainJob::Node& node : report.graph.nodes) {
    if (node.wave != wave) {
      text += format("wave %d\n", wave = node.wave);
      for (const MainJob::Value& value : report.graph.values)
        if (value.wave == wave) text += times(value.ms, false) + value.name + "\n";
    }
    const std::string name = std::string(node.stage) + " (" + std::string(node.op) + ")";
    text += times(node.ms, node.critical);
    text +=
        node.reads.empty() ? name + "\n" : format("%-32s%s\n", name.c_str(), node.reads.c_str());
  }
  return text;
}

std::string graph_json(const Report& report) {
  std::string text = ",\n \"graph\": {\"ms\": " + to_text(report.graph_ms) + ", \"nodes\": [";
  for (const MainJob::Node& node : report.graph.nodes) {
    text += (&node == report.graph.nodes.data() ? "\n  " : ",\n  ");
    text += "{\"wave\": " + std::to_string(node.wave) +
            ", \"stage\": " + quoted(std::string(node.stage)) +
            ", \"op\": " + quoted(std::string(node.op)) + ", \"reads\": " + quoted(node.reads) +
            ", \"shape\": [" + joined(node.shape) + "], " + times_json(report, node.ms) +
            ", \"critical\": " + (node.critical ? "true" : "false") + "}";
  }
  text += "],\n  \"values\": [";
  for (const MainJob::Value& value : report.graph.values) {
    text += (&value == report.graph.values.data() ? "\n  " : ",\n  ");
    text += "{\"wave\": " + std::to_string(value.wave) + ", \"name\": " + quoted(value.name) +
            ", " + times_json(report, value.ms) + "}";
  }
  return text + "], \"critical_ms\": " + to_text(report.graph.critical_ms) + "}";
}

}  // namespace

double spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double position = share * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(position);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (values[high] - values[low]) * (position - static_cast<double>(low));
  };
  return (at(0.75) - at(0.25)) / 2;
}

std::string table(const Report& report) {
  std::string text =
      format("file     %s (%.1f s)\n", report.file.c_str(), report.samples / job_rate) +
      format("CPU      %s, %s, %d threads\n", cpu_model().c_str(),
             std::string(dsp::simd::kernels().compiled_for).c_str(), report.threads) +
      format("backend  %s\n\n", report.backend.c_str()) +
      format("%-8s%10s%s  shape\n", "stage", "ms", report.repeat > 1 ? "           " : "");
  for (const StageTime& stage : report.stages) {
    std::string what =
        format("(%s%s)", joined(stage.shape).c_str(), stage.shape.size() == 1 ? "," : "");
    if (stage.name == "load")
      what = format("%lld samples at %.0f Hz", static_cast<long long>(report.samples), job_rate);
    if (stage.name == "beat")
      what = format("%.1f BPM, %zu beats", report.tempo, report.beats.size());
    text += line(report, stage.name, stage.ms, stage.spread_ms, what);
  }
  text += line(report, "total", report.total_ms, report.total_spread_ms,
               report.repeat > 1 ? format("median of %d runs", report.repeat) : "");
  return report.graph.nodes.empty() ? text : text + graph_table(report);
}

std::string json(const Report& report) {
  std::string text = "{\"file\": " + quoted(report.file) +
                     format(", \"sr\": %.0f, \"samples\": %lld", job_rate,
                            static_cast<long long>(report.samples)) +
                     ", \"backend\": " + quoted(report.backend) +
                     ", \"device\": " + quoted(cpu_model()) + ",\n \"stages\": [";
  for (const StageTime& stage : report.stages) {
    text += (&stage == report.stages.data() ? "\n  " : ",\n  ");
    text += "{\"name\": " + quoted(stage.name) + ", \"ms\": " + to_text(stage.ms) +
            ", \"shape\": [" + joined(stage.shape) + "]";
    if (report.repeat > 1) text += ", \"spread_ms\": " + to_text(stage.spread_ms);
    text += "}";
  }
  text +=
      "],\n \"total_ms\": " + to_text(report.total_ms) + ", \"tempo\": " + to_text(report.tempo);
  if (report.repeat > 1)
    text += ", \"repeat\": " + std::to_string(report.repeat) +
            ", \"total_spread_ms\": " + to_text(report.total_spread_ms);
  text += ",\n \"beats\": [";
  for (std::size_t i = 0; i < report.beats.size(); ++i)
    text += (i ? ", " : "") + to_text(report.beats[i]);
  text += "]";
  if (!report.graph.nodes.empty()) text += graph_json(report);
  return text + "}\n";
}

}  // namespace metalmom::tools
