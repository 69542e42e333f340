// Every op of the one list, on the CPU, over its cases: it writes nothing outside its results, all
// inside, and the same bits whatever the number of threads.
#include <gtest/gtest.h>

#include <string>

#include "base/workers.hpp"
#include "op_results.hpp"

namespace metalmom::test {

namespace {

// Ops whose results have room for the most that there may be, and say how many there are.
template <class Op>
constexpr bool says_how_many = requires(typename Op::template Out<float> out) {
  out.length;
}
|| requires(typename Op::template Out<float> out) {
  out.ends;
};

template <class Op>
void expect_same_on_any_number_of_threads() {
  if (!is_built<Op>) return;
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
