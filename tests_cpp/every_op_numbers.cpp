// The numbers of every op, over its cases: float32 beside float64 per bin, on full scale,
// constants, the quietest input and zeros of both signs; what NaN and infinity reach; one
// instruction set beside another. docs/parity.md has the bounds:
//     METALMOM_RECORD=1 build/bin/metalmom_tests --gtest_filter=EveryOpNumbers.ThePageHasTheBounds
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "any_case.hpp"
#include "base/cache.hpp"
#include "dsp/simd/select.hpp"

namespace metalmom::test {

namespace {

enum class Level { own, square, sine, constant, quiet, quietest, zero, negative_zero };
constexpr const char* level_names[] = {"own",   "square",   "sine", "constant",
                                       "quiet", "quietest", "zero", "-0"};

// In place of a case's input. Values that have no sign there have none here.
void set_level(std::span<float> values, Level level) {
  const bool has_sign = std::ranges::any_of(values, [](float value) { return value < 0; });
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto sine = static_cast<float>(std::sin(0.0627 * static_cast<double>(i)));
    switch (level) {
      case Level::own:
        break;
      case Level::square:
        values[i] = i / 50 % 2 ? 1.0f : has_sign ? -1.0f : 0.0f;
        break;
      case Level::sine:
        values[i] = has_sign ? sine : std::abs(sine);
        break;
      case Level::constant:
        values[i] = 1;
        break;
      case Level::quiet:  // its energy is a normal number
        values[i] *= 1e-15f;
        break;
      case Level::quietest:  // its energy is zero in float32
        values[i] *= 1e-30f;
        break;
      case Level::zero:
        values[i] = 0;
        break;
      case Level::negative_zero:
        values[i] = -0.0f;
        break;
    }
  }
}

AnyCase::Change to_level(Level level) {
  return [level](std::span<float> values, std::string_view) { set_level(values, level); };
}

// What numbers of these magnitudes may differ by: a part of the largest of a bin, and of the whole
// result.
struct Bound {
  double of_bin, of_all;
};
constexpr double of_bin = 3e-7;  // two and a half units in the last place

// NaN and infinity are in the same places; other values are within the bound.
void expect_near(const Numbers& found, const Numbers& expected, Bound bound) {
  for (std::size_t i = 0; i < expected.results().size(); ++i) {
    const auto &a = found.results()[i].values, &b = expected.results()[i].values;
    ASSERT_EQ(a.size(), b.size());
    const Bins& bins = expected.results()[i].bins;
    std::vector<double> largest(bins.count), off(bins.count);
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (std::isfinite(b[k])) {
        ASSERT_TRUE(std::isfinite(a[k]))
            << a[k] << " for " << b[k] << ", result " << i << " value " << k;
        largest[bins.of(k)] = std::max(largest[bins.of(k)], std::abs(b[k]));
        off[bins.of(k)] = std::max(off[bins.of(k)], std::abs(a[k] - b[k]));
      } else {
        ASSERT_TRUE(std::isnan(b[k]) ? std::isnan(a[k]) : a[k] == b[k])
            << a[k] << " for " << b[k] << ", result " << i << " value " << k;
      }
    }
    if (bound.of_all == unbounded) continue;
    const double all = *std::ranges::max_element(largest);
    for (std::size_t k = 0; k < bins.count; ++k)
      EXPECT_LE(off[k], std::max<double>(bound.of_bin * largest[k] + bound.of_all * all,
                                         std::numeric_limits<float>::min()))
          << "result " << i << " bin " << k << ": " << (off[k] - bound.of_bin * largest[k]) / all
          << " of the whole";
  }
}

TEST(EveryOpNumbers, Float32IsAsNearToFloat64AsTheCasesSay) {
  for (const auto& op : cases_of_all_ops())
    for (const Level level :
         {Level::own, Level::square, Level::sine, Level::constant, Level::quiet, Level::quietest})
      for (const auto& each : op.at_most(level == Level::own ? 50'000 : 6'000)) {
        SCOPED_TRACE(each.name + ", " + level_names[static_cast<int>(level)]);
        const auto narrow = each.in_float(to_level(level));
        const auto wide = each.in_double(to_level(level));
        ASSERT_EQ(bool(narrow), bool(wide)) << "taken in one precision alone";
        if (!narrow) continue;
        const double of_all = level == Level::own        ? each.rounding.own
                              : level == Level::quietest ? unbounded
                                                         : each.rounding.tones;
        expect_near(*narrow, *wide, {of_bin, of_all});
      }
}

TEST(EveryOpNumbers, ZeroHasNoSign) {
  for (const auto& op : cases_of_all_ops())
    for (const auto& each : op.at_most(6'000)) {
      SCOPED_TRACE(each.name);
      const auto zero = each.in_float(to_level(Level::zero));
      const auto negative = each.in_float(to_level(Level::negative_zero));
      ASSERT_EQ(bool(zero), bool(negative));
      if (zero) expect_near(*negative, *zero, {0, 0});
    }
}

// `unit`: of the precision's last place, in those of float32.
void expect_same_on_any_set(const AnyCase::Call& call, double unit, double of_all) {
  std::optional<Numbers> baseline;
  for (const std::string_view set : {"baseline", "avx2", "avx512"}) {
    if (std::ranges::count(dsp::simd::available(), set) == 0) continue;
    SCOPED_TRACE(set);
    dsp::simd::select(set);
    release_cached_values();  // transforms keep the set that they were made for
    auto found = call(to_level(Level::own));
    if (!baseline) {
      baseline = std::move(found);
      if (!baseline) break;
      continue;
    }
    expect_near(*found, *baseline, {of_bin * unit, of_all * unit});
  }
}

TEST(EveryOpNumbers, AnyInstructionSetIsAsNearToTheBaseline) {
  // float32 is often a rounded double, and that has no reserve.
  constexpr double of_all_in_double = 1e-4;
  for (const auto& op : cases_of_all_ops())
    for (const auto& each : op.at_most(30'000)) {
      SCOPED_TRACE(each.name);
      expect_same_on_any_set(each.in_float, 1, each.rounding.own);
      SCOPED_TRACE("float64");
      expect_same_on_any_set(each.in_double, 0x1p-29,
                             std::max(each.rounding.own, of_all_in_double));
    }
  dsp::simd::select(dsp::simd::available().front());
  release_cached_values();
}

// NaN or infinity at some places of an input. A frame that no other value there changes must stay
// as it is.
void expect_frames_to_stay(const AnyCase& each, const AnyCase::Input& input) {
  using Frames = std::vector<std::vector<double>>;
  const auto with = [&](std::size_t quarters, auto&& change) -> std::optional<Frames> {
    const auto results = each.in_float([&](std::span<float> values, std::string_view name) {
      if (name == input.name) change(values, (values.size() - 1) * quarters / 4);
    });
    return results ? std::optional(results->by_frame()) : std::nullopt;
  };
  const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
    return std::ranges::equal(
        a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
  };
  const auto before = with(0, [](auto&&...) {});
  if (!before) return;
  for (const std::size_t quarters : {0, 2, 4}) {
    std::vector<bool> reads(before->size());
    const auto try_out = [&](auto&& change) {
      const auto after = with(quarters, change);
      if (after && after->size() == before->size())
        for (std::size_t frame = 0; frame < reads.size(); ++frame)
          if (!same((*after)[frame], (*before)[frame])) reads[frame] = true;
    };
    for (const float value : {1e9f, 1e3f, 1e-3f, 0.0f, -1.0f})
      try_out([&](std::span<float> values, std::size_t at) { values[at] = value; });
    for (const float factor : {0.5f, -1.0f})
      try_out([&](std::span<float> values, std::size_t at) { values[at] *= factor; });
    // A value of a frame may have a weight of zero, which a NaN has not.
    if (input.frames_first)
      try_out([&](std::span<float> values, std::size_t at) {
        const auto size = static_cast<std::size_t>(input.frame_size);
        for (float& value : values.subspan(at / size * size, size)) value = 2 * value + 1;
      });
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      const auto after =
          with(quarters, [&](std::span<float> values, std::size_t at) { values[at] = value; });
      if (!after) continue;  // refused
      ASSERT_EQ(after->size(), before->size());
      for (std::size_t frame = 0; frame < reads.size(); ++frame)
        EXPECT_TRUE(reads[frame] || same((*after)[frame], (*before)[frame]))
            << value << " at " << quarters << "/4 of " << input.name << " is in frame " << frame;
    }
  }
}

TEST(EveryOpNumbers, NaNStaysInTheFramesThatReadIt) {
  for (const auto& op : cases_of_all_ops())
    for (const auto& each : op.at_most(6'000, 60)) {
      SCOPED_TRACE(each.name);
      for (const auto& input : each.inputs)
        if (!each.nan_spreads && !input.finite) expect_frames_to_stay(each, input);
    }
}

// The rows of the page's table: ops with a bound of their own.
std::string bounds_of_all_ops() {
  std::map<std::string, std::string> rows;
  const auto text = [](double bound) {
    std::ostringstream out;
    out << bound;
    return bound == unbounded ? std::string("none") : out.str();
  };
  for (const auto& op : cases_of_all_ops()) {
    const std::string name(op.op);
    std::map<std::tuple<double, double, std::string>, std::string> first_case;
    for (const auto& each : op.cases)
      first_case.try_emplace({each.rounding.own, each.rounding.tones, each.rounding.why},
                             each.name);
    for (const auto& [bounds, case_name] : first_case) {
      const auto& [own, tones, why] = bounds;
      if (own == Rounding{}.own && tones == Rounding{}.tones) continue;
      EXPECT_FALSE(why.empty()) << case_name << " has a bound of its own and no reason";
      rows[name] += "| `" + name + "` | " + text(own) + " | " + text(tones) + " | " + why + " |\n";
    }
  }
  std::string table;
  for (const auto& [name, lines] : rows) table += lines;
  return table;
}

TEST(EveryOpNumbers, ThePageHasTheBounds) {
  const auto page =
      std::filesystem::path(__FILE__).parent_path().parent_path() / "docs" / "parity.md";
  std::ifstream file(page);
  if (!file) GTEST_SKIP() << "no " << page;
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const std::string head = "| op | bound | of tones | why |\n|---|---|---|---|\n";
  const auto begin = text.find(head) + head.size();
  const auto end = text.find("\n\n", begin - 1) + 1;
  ASSERT_LT(begin, end);
  const std::string table = bounds_of_all_ops();
  if (std::getenv("METALMOM_RECORD")) {
    std::ofstream(page) << text.substr(0, begin) << table << text.substr(end);
    return;
  }
  EXPECT_EQ(text.substr(begin, end - begin), table)
      << "METALMOM_RECORD=1 build/bin/metalmom_tests "
         "--gtest_filter=EveryOpNumbers.ThePageHasTheBounds writes it";
}

}  // namespace

}  // namespace metalmom::test
