#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <string>

#include "trace/chrome.hpp"

namespace metalmom::trace {
namespace {

struct Made {
  Snapshot trace;

  Made() { trace.rows = {{7, "main", true}, {1 << 23, "queue", false}}; }

  Event& add(const char* name, Kind kind, int row, std::int64_t begin, std::int64_t end) {
    Event e{};
    e.name = name;
    e.kind = kind;
    e.category = row ? Category::gpu : Category::engine;
    e.row = row;
    e.begin_ns = begin;
    e.end_ns = end;
    e.first_arg = static_cast<std::uint32_t>(trace.args.size());
    return trace.events.emplace_back(e);
  }

  std::string text(const About& about = {}) const {
    std::ostringstream out;
    write_chrome(out, trace, about);
    return out.str();
  }
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(TraceChrome, SpansAreCompleteEventsInMicroseconds) {
  Made made;
  made.add("mel", Kind::span, 0, 1'234'567, 1'240'000);
  const std::string text = made.text();
  EXPECT_TRUE(has(text, R"("name":"mel","ph":"X")"));
  EXPECT_TRUE(has(text, R"("cat":"engine","ts":1234.567,"dur":5.433)")) << text;
  EXPECT_TRUE(has(text, R"("tid":7)"));
  EXPECT_TRUE(has(text, R"("args":{"name":"main","is_thread":true})"));
}

TEST(TraceChrome, TextsAreEscapedAndNumbersStayJson) {
  Made made;
  Event& e = made.add("a \"b\"\n\\", Kind::point, 0, 5, 5);
  made.trace.args = {Arg("share", std::nan("")), Arg("ratio", 0.5), Arg("count", -3)};
  e.n_args = 3;
  const std::string text = made.text({{"who", "t\test"}});
  EXPECT_TRUE(has(text, R"("name":"a \"b\"\u000a\\","ph":"i")")) << text;
  EXPECT_TRUE(has(text, R"("args":{"share":"nan","ratio":0.5,"count":-3})")) << text;
  EXPECT_TRUE(has(text, R"("who":"t\u0009est")"));
}

TEST(TraceChrome, EveryKernelOfASubmitGetsAnArrow) {
  Made made;
  Event& submit = made.add("submit", Kind::point, 0, 10, 10);
  submit.flow = 3;
  submit.starts_flow = true;
  made.add("mel", Kind::span, 1, 20, 30).flow = 3;
  made.add("dct", Kind::span, 1, 40, 50).flow = 3;
  const std::string text = made.text();
  for (const char* id : {"1", "2"}) {
    const std::string with_id = std::string(R"("cat":"gpu","id":)") + id;
    EXPECT_TRUE(has(text, R"("ph":"s","pid":)"));
    EXPECT_TRUE(has(text, with_id + R"(,"ts":0.010})")) << text;
    EXPECT_TRUE(has(
        text, with_id + (id[0] == '1' ? R"(,"ts":0.020,"bp":"e"})" : R"(,"ts":0.040,"bp":"e"})")))
        << text;
  }
}

}  // namespace
}  // namespace metalmom::trace
