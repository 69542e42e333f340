#include "trace/chrome.hpp"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "base/json_text.hpp"

namespace metalmom::trace {

namespace {

class Writer {
 public:
  Writer(std::ostream& out, const Snapshot& trace, const About& about)
      : out_(out), trace_(trace), about_(about), pid_(std::to_string(getpid())) {}

  void write() {
    text_ = "{\"displayTimeUnit\":\"ns\",\"otherData\":{";
    put("\"clock\":\"CLOCK_MONOTONIC\",\"start_ns\":\"").put(trace_.start_ns);
    put("\",\"duration_ns\":\"").put(trace_.duration_ns);
    put("\",\"dropped_events\":\"").put(static_cast<std::int64_t>(trace_.dropped)).put("\"");
    for (const auto& [key, value] : about_) {
      put(",").quote(key).put(":").quote(value);
    }
    put("},\n\"traceEvents\":[\n");
    put("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":").put(pid_);
    put(",\"tid\":0,\"args\":{\"name\":\"metalmom\"}}");
    for (const Row& row : trace_.rows) write_row(row);
    for (const Event& e : trace_.events) {
      if (e.flow && e.starts_flow) sources_[e.flow] = &e;
    }
    for (const Event& e : trace_.events) {
      write_event(e);
      if (e.flow && !e.starts_flow) write_arrow(e);
      if (text_.size() > 1 << 16) flush();
    }
    put("\n]}\n");
    flush();
  }

 private:
  Writer& put(std::string_view s) { return text_.append(s), *this; }
  Writer& put(std::int64_t v) { return put(std::to_string(v)); }

  // Nanoseconds as microseconds with three decimals.
  Writer& put_us(std::int64_t ns) {
    std::array<char, 32> buffer;
    const int n = std::snprintf(buffer.data(), buffer.size(), "%lld.%03d",
                                static_cast<long long>(ns / 1000), static_cast<int>(ns % 1000));
    return put({buffer.data(), static_cast<std::size_t>(n)});
  }

  Writer& quote(std::string_view s) {
    append_json_text(text_, s);
    return *this;
  }

  // JSON has no infinities: they, and NaN, become texts.
  Writer& put_value(const Arg& arg) {
    if (arg.type == Arg::Type::integer) return put(arg.integer);
    if (arg.type == Arg::Type::text) return quote(arg.text);
    return std::isfinite(arg.real) ? put(to_text(arg.real)) : quote(to_text(arg.real));
  }

  // Threads in the order in which they were made, then the queues; what did not fit into a row
  // comes after it.
  void write_row(const Row& row) {
    begin_event("thread_name", "M", row).put(",\"args\":{\"name\":").quote(row.name);
    put(row.is_thread ? ",\"is_thread\":true}}" : ",\"is_thread\":false}}");
    begin_event("thread_sort_index", "M", row).put(",\"args\":{\"sort_index\":");
    constexpr int bits = further_row_bits;
    put((row.tid & ((1 << bits) - 1)) << 6 | row.tid >> bits).put("}}");
  }

  Writer& begin_event(std::string_view name, std::string_view phase, const Row& row) {
    put(",\n{\"name\":").quote(name).put(",\"ph\":\"").put(phase).put("\",\"pid\":").put(pid_);
    return put(",\"tid\":").put(row.tid);
  }

  void write_event(const Event& e) {
    const char* phase = e.kind == Kind::span ? "X" : e.kind == Kind::point ? "i" : "C";
    begin_event(e.name, phase, trace_.rows[e.row]).put(",\"cat\":\"");
    put(category_name(e.category)).put("\",\"ts\":").put_us(e.begin_ns);
    if (e.kind == Kind::span) put(",\"dur\":").put_us(e.end_ns - e.begin_ns);
    if (e.kind == Kind::point) put(",\"s\":\"t\"");
    put(",\"args\":{");
    const char* comma = "";
    for (const Arg& arg : trace_.args_of(e)) {
      put(comma).quote(arg.key).put(":").put_value(arg);
      comma = ",";
    }
    if (e.bounded) put(comma).put("\"clock\":\"bounded\"");
    put("}}");
  }

  // Each arrow is a pair with an id of its own, so that one submit can point at many kernels.
  void write_arrow(const Event& target) {
    const auto found = sources_.find(target.flow);
    if (found == sources_.end()) return;
    const Event& source = *found->second;
    ++arrows_;
    write_arrow_end("s", source, source.begin_ns);
    write_arrow_end("f", target, target.begin_ns);
  }

  void write_arrow_end(std::string_view phase, const Event& e, std::int64_t at_ns) {
    begin_event("submit", phase, trace_.rows[e.row]).put(",\"cat\":\"gpu\",\"id\":").put(arrows_);
    put(",\"ts\":").put_us(at_ns).put(phase == "f" ? ",\"bp\":\"e\"}" : "}");
  }

  void flush() {
    out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
    text_.clear();
  }

  std::ostream& out_;
  const Snapshot& trace_;
  const About& about_;
  std::string pid_, text_;
  std::unordered_map<Flow, const Event*> sources_;
  std::int64_t arrows_ = 0;
};

}  // namespace

const char* category_name(Category category) {
  constexpr std::array names{"bridge", "engine", "gpu", "user"};
  return names[static_cast<std::size_t>(category)];
}

void write_chrome(std::ostream& out, const Snapshot& trace, const About& about) {
  Writer(out, trace, about).write();
}

}  // namespace metalmom::trace
