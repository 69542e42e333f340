// Every op with a GPU kernel against the CPU, over op_cases.hpp: within the tolerance of each bin's
// or band's own maximum, nothing written outside the results, nothing inside left out, and bitwise
// the same whether a signal comes alone or in a batch, streamed in pieces or held on the device.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "gpu/device.hpp"
#include "gpu/kernels/all.hpp"
#include "gpu/run/array.hpp"
#include "gpu/run/run.hpp"
#include "gpu_support.hpp"
#include "op_results.hpp"

namespace metalmom::test {

namespace {

// The arrays of a result, between guards that nobody may write.
template <class Op>
class GuardedOutputs {
 public:
  using Out = typename Op::template Out<float>;
  explicit GuardedOutputs(const typename Op::Plan& plan) : out(Op::template outputs<float>(plan)) {
    for_each_field<Out>([&](const auto& each) {
      auto& view = out.*each.member;
      using Item = std::remove_reference_t<decltype(*view.data)>;
      const auto floats = static_cast<std::size_t>(view.size()) * sizeof(Item) / sizeof(float);
      auto& memory = arrays_.emplace_back(floats + 2 * guard, mark);
      wide_.push_back(std::is_same_v<Item, double>);
      bins_.push_back(bins_of(view, each.core));
      view.data = reinterpret_cast<Item*>(memory.data() + guard);
      if constexpr (!std::is_integral_v<Item>)
        std::fill(view.data, view.data + view.size(), Item(NAN));
    });
  }
  GuardedOutputs(const GuardedOutputs&) = delete;

  bool guards_intact() const {
    for (const auto& memory : arrays_)
      for (std::size_t i = 0; i < guard; ++i)
        if (memory[i] != mark || memory[memory.size() - 1 - i] != mark) return false;
    return true;
  }
  // Of results in double, the floats that they were on the device.
  std::vector<std::vector<float>> values() const {
    std::vector<std::vector<float>> all;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const std::span inside(arrays_[i].data() + guard, arrays_[i].size() - 2 * guard);
      if (wide_[i]) {
        const auto* const first = reinterpret_cast<const double*>(inside.data());
        all.emplace_back(first, first + inside.size() / 2);
      } else {
        all.emplace_back(inside.begin(), inside.end());
      }
    }
    return all;
  }

  const Bins& bins(std::size_t i) const { return bins_[i]; }

  Out out;

 private:
  static constexpr std::size_t guard = 64;
  static constexpr float mark = -12345.75f;
  std::vector<std::vector<float>> arrays_;
  std::vector<bool> wide_;
  std::vector<Bins> bins_;
};

// A device may flush what is below the normal numbers, sample by sample.
constexpr double flushed = 1e-33;

struct Difference {
  double largest = 0, maximum = 0;
  // The largest of a bin, less the rounding that goes with the whole, relative to the bin's
  // maximum.
  double in_bins = 0;
};

// Rounding in a frame's transform goes with the loudest bin of the frame.
constexpr double rounding = 5e-7;

Difference compare(std::span<const float> expected, std::span<const float> actual,
                   const Bins& bins) {
  Difference result;
  std::vector<Difference> each(bins.count);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Difference& bin = each[bins.of(i)];
    bin.maximum = std::max(bin.maximum, std::abs(static_cast<double>(expected[i])));
    const double difference = std::abs(static_cast<double>(expected[i]) - actual[i]);
    if (!(difference <= bin.largest)) bin.largest = difference;
    if (std::isnan(difference)) return {INFINITY, bin.maximum, INFINITY};
  }
  for (const Difference& bin : each) {
    result.largest = std::max(result.largest, bin.largest);
    result.maximum = std::max(result.maximum, bin.maximum);
  }
  for (const Difference& bin : each)
    if (bin.maximum > flushed)
      result.in_bins =
          std::max(result.in_bins, (bin.largest - rounding * result.maximum) / bin.maximum);
  return result;
}

bool same_bits(const std::vector<std::vector<float>>& a, const std::vector<std::vector<float>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].size() != b[i].size() ||
        std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)))
      return false;
  return true;
}

// The arrays of one signal of a batch; one that serves all signals stays.
template <class In>
In alone(In in, Index b) {
  for_each_field<In>([&](const auto& each) {
    auto& value = in.*each.member;
    if constexpr (requires { value.slice(b, 1); })
      if (value.batch != 1) value.data = value.row(b), value.batch = 1;
  });
  // A filter's state is one for all signals, or one for each.
  if constexpr (requires { in.state; })
    if (in.state.size() > 1) in.state = in.state.subspan(static_cast<std::size_t>(b), 1);
  return in;
}

class Parity : public testing::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) device_ = &gpu::open_device();
  }

  // On device arrays nothing is cut into pieces; the result is the same to the bit.
  template <class Op>
  void check_resident(const OpCase<Op>& each, const typename Op::Plan& plan,
                      const GuardedOutputs<Op>& streamed) {
    GuardedOutputs<Op> resident(plan);
    const gpu::KernelTask<Op> task(plan, each.in, resident.out);
    std::vector<gpu::DeviceData> inputs, outputs;
    for (const auto& array : task.inputs())
      inputs.push_back(gpu::copy_to_device(*device_, array.data, array.bytes()));
    for (const auto& array : task.outputs())
      outputs.push_back(gpu::make_array(*device_, array.bytes()));
    gpu::run_resident(*device_, task, inputs, outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const gpu::HostArray& array = task.outputs()[i];
      gpu::copy_to_host(outputs[i], array.data);
      if (!array.is_widened) continue;
      auto* const wide = static_cast<double*>(array.data);
      const auto* const narrow = static_cast<const float*>(array.data);
      for (std::size_t k = array.bytes() / sizeof(float); k-- > 0;) wide[k] = narrow[k];
    }
    EXPECT_TRUE(same_bits(streamed.values(), resident.values())) << "on device arrays";
  }

  // What a signal gives does not depend on its neighbours in the batch.
  template <class Op>
  void check_alone(const OpCase<Op>& each, const GuardedOutputs<Op>& together) {
    const Index batch = std::get<0>(gpu::Kernel<Op>::inputs(each.in)).batch;
    if (batch == 1 || std::is_same_v<Op, ops::Decibel> || gpu::AnswersForBatch<Op>) return;
    for (const Index b : {Index(0), batch - 1}) {
      const auto in = alone(each.in, b);
      const auto plan = Op::plan(each.params, in);
      GuardedOutputs<Op> single(plan);
      gpu::run_streamed(*device_, gpu::KernelTask<Op>(plan, in, single.out));
      std::vector<std::vector<float>> expected;
      for (const auto& values : together.values()) {
        const std::ptrdiff_t part = std::ssize(values) / batch;
        const auto first = values.begin() + b * part;
        expected.emplace_back(first, first + part);
      }
      EXPECT_TRUE(same_bits(expected, single.values())) << "alone";
    }
  }

  template <class Op>
  void check_case(const OpCase<Op>& each) {
    auto plan = Op::plan(each.params, each.in);
    ops::check_values<Op, float>(plan, each.in);
    const gpu::Reason reason = gpu::Kernel<Op>::supports(plan, gpu::info(*device_).limits);
    ASSERT_EQ(!reason, each.on_gpu) << (reason ? reason.words : "taken");
    if (reason) return;
    GuardedOutputs<Op> cpu(plan), gpu(plan);
    Op::run_cpu(plan, each.in, cpu.out);
    gpu::run_streamed(*device_, gpu::KernelTask<Op>(plan, each.in, gpu.out));
    EXPECT_TRUE(gpu.guards_intact());
    check_resident(each, plan, gpu);
    check_alone(each, gpu);
    for (std::size_t i = 0; i < cpu.values().size(); ++i) {
      const Difference found =
          compare(cpu.values()[i], gpu.values()[i], each.of_one_scale ? Bins() : cpu.bins(i));
      EXPECT_LE(found.largest, std::max(each.tolerance * found.maximum, flushed))
          << "maximum " << found.maximum;
      EXPECT_LE(found.in_bins, each.tolerance) << "of a bin";
      worst_ = std::max(worst_, found.maximum > flushed && std::isfinite(each.tolerance)
                                    ? found.largest / found.maximum
                                    : 0.0);
    }
  }

  template <class Op>
  void check_all() {
    const auto cases = op_cases<Op>();
    ASSERT_FALSE(cases.empty()) << Op::name << " has no case: add some to tests_cpp/op_cases.cpp";
    for (const auto& each : cases) {
      SCOPED_TRACE(each.name);
      check_case(each);
    }
    RecordProperty("worst_difference", std::to_string(worst_));
    std::printf("%s: worst difference %.2g of the maximum\n", std::string(Op::name).c_str(),
                worst_);
  }

  gpu::Device* device_ = nullptr;
  double worst_ = 0;
};

// A test of its own for each op of the one list that has a kernel, under the op's name.
template <class Op>
class OneOp : public Parity {
 public:
  void TestBody() override { check_all<Op>(); }
};

const bool registered = [] {
  ops::AllOps::for_each([]<class Op>() {
    if constexpr (gpu::Kernel<Op>::exists)
      ::testing::RegisterTest("Parity", std::string(Op::name).c_str(), nullptr, nullptr, __FILE__,
                              __LINE__, []() -> Parity* { return new OneOp<Op>; });
  });
  return true;
}();

}  // namespace

}  // namespace metalmom::test
