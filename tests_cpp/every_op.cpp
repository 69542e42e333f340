// Every op of the one list, on the CPU, over its cases: it writes nothing outside its results, all
// inside, and the same bits whatever the number of threads.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/workers.hpp"
#include "op_cases.hpp"

namespace metalmom::test {

namespace {

// The arrays of a result, between guards that nobody may write.
template <class Op>
class Results {
 public:
  // `fill`: what is in the arrays before.
  explicit Results(const OpCase<Op>& each, unsigned char fill = 0) {
    auto plan = Op::plan(each.params, each.in);
    ops::check_values<Op, float>(plan, each.in);
    using Out = typename Op::template Out<float>;
    Out out = Op::template outputs<float>(plan);
    for_each_field<Out>([&](const auto& field) {
      auto& view = out.*field.member;
      using Item = std::remove_reference_t<decltype(*view.data)>;
      const auto bytes = static_cast<std::size_t>(view.size()) * sizeof(Item);
      auto& memory = arrays_.emplace_back(bytes + 2 * guard, mark);
      if (bytes) std::memset(memory.data() + guard, fill, bytes);
      view.data = reinterpret_cast<Item*>(memory.data() + guard);
    });
    Op::run_cpu(plan, each.in, out);
  }

  bool guards_intact() const {
    for (const auto& memory : arrays_)
      for (std::size_t i = 0; i < guard; ++i)
        if (memory[i] != mark || memory[memory.size() - 1 - i] != mark) return false;
    return true;
  }
  bool operator==(const Results&) const = default;

 private:
  static constexpr std::size_t guard = 64;
  static constexpr unsigned char mark = 0xa5;
  std::vector<std::vector<unsigned char>> arrays_;
};

// Ops whose results have room for the most that there may be, and say how many there are.
template <class Op>
constexpr bool says_how_many =
    requires(typename Op::template Out<float> out) { out.length; } ||
    requires(typename Op::template Out<float> out) { out.ends; };

template <class Op>
void expect_same_on_any_number_of_threads() {
  const bool resamples = Op::name == "resample" || Op::name.find("constant_q") != std::string_view::npos;
  if (resamples && !METALMOM_IO_BUILT) return;
  // Those of kernels are many, and parity.cpp runs them all.
  constexpr std::size_t most = 4;
  auto cases = op_cases<Op>();
  if (cases.size() > most) cases.erase(cases.begin() + most, cases.end());
  for (const auto& each : cases) {
    SCOPED_TRACE(std::string(Op::name) + ", " + each.name);
    // Of no frames `auto` believes that one thread does the work, and asks for more by min_frames.
    const auto plan = Op::plan(each.params, each.in);
    EXPECT_GE(Op::cost(plan).frames, Op::cost(plan).flops > 0 ? 1 : 0);
    const ThreadsScope alone(1);
    const Results<Op> expected(each);
    EXPECT_TRUE(expected.guards_intact());
    if (!says_how_many<Op>) {
      EXPECT_EQ(Results<Op>(each, 0xff), expected) << "not all is written";
    }
    for (const int threads : {2, 5}) {
      const ThreadsScope scope(threads);
      EXPECT_EQ(Results<Op>(each), expected) << threads << " threads";
    }
  }
}

TEST(EveryOp, HasACase) {
  ops::AllOps::for_each([]<class Op>() {
    EXPECT_FALSE(op_cases<Op>().empty())
        << "the op " << Op::name << " has no case: declare op_cases<> of it in "
        << "tests_cpp/op_cases.hpp and write some in tests_cpp/cpu_cases_<part>.cpp, or in "
        << "op_cases.cpp if it has a GPU kernel";
  });
}

TEST(EveryOp, GivesTheSameBitsOnAnyNumberOfThreads) {
  ops::AllOps::for_each([]<class Op>() { expect_same_on_any_number_of_threads<Op>(); });
}

}  // namespace

}  // namespace metalmom::test
