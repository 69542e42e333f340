// Every op of the one list, on the largest of its cases (tests_cpp/op_cases.hpp), without planning:
// what run_cpu costs. An op without a case fails here as it does in the tests.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "op_cases.hpp"

namespace metalmom::bench {
namespace {

template <class Op>
double flops_of(const test::OpCase<Op>& each) {
  return Op::cost(Op::plan(each.params, each.in)).flops;
}

template <class Op>
void run_op(benchmark::State& state) {
  const auto cases = test::op_cases<Op>();
  if (cases.empty()) {
    state.SkipWithError("no case: declare op_cases<> of it in tests_cpp/op_cases.hpp");
    return;
  }
  const auto& each = *std::max_element(
      cases.begin(), cases.end(),
      [](const auto& a, const auto& b) { return flops_of<Op>(a) < flops_of<Op>(b); });
  auto plan = Op::plan(each.params, each.in);
  ops::check_values<Op, float>(plan, each.in);
  using Out = typename Op::template Out<float>;
  Out out = Op::template outputs<float>(plan);
  std::vector<Buffer<std::byte>> memory;
  for_each_field<Out>([&](const auto& field) {
    auto& view = out.*field.member;
    using Value = std::remove_pointer_t<decltype(view.data)>;
    memory.emplace_back(static_cast<std::size_t>(view.size()) * sizeof(Value));
    view.data = reinterpret_cast<Value*>(memory.back().data());
  });
  for (auto _ : state) {
    Op::run_cpu(plan, each.in, out);
    benchmark::ClobberMemory();
  }
  state.SetLabel(each.name);
}

const bool registered = [] {
  ops::AllOps::for_each([]<class Op>() {
    benchmark::RegisterBenchmark(("op/" + std::string(Op::name)).c_str(), run_op<Op>);
  });
  return true;
}();

}  // namespace
}  // namespace metalmom::bench
