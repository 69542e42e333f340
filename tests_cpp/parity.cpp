// Every op with a GPU kernel against the CPU, over op_cases.hpp: within the tolerance, nothing
// written outside the results, nothing inside left out, and bitwise the same however the batch is
// cut. Skipped where there is no Vulkan device.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <tuple>

#include "gpu/device.hpp"
#include "gpu/kernels/all.hpp"
#include "gpu/run.hpp"
#include "gpu/testing.hpp"
#include "gpu/validation.hpp"
#include "op_cases.hpp"

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
      std::fill(memory.begin() + guard, memory.end() - guard, NAN);
      view.data = reinterpret_cast<Item*>(memory.data() + guard);
    });
  }
  GuardedOutputs(const GuardedOutputs&) = delete;

  bool guards_intact() const {
    for (const auto& memory : arrays_)
      for (std::size_t i = 0; i < guard; ++i)
        if (memory[i] != mark || memory[memory.size() - 1 - i] != mark) return false;
    return true;
  }
  std::vector<std::span<const float>> values() const {
    std::vector<std::span<const float>> all;
    for (const auto& memory : arrays_)
      all.emplace_back(memory.data() + guard, memory.size() - 2 * guard);
    return all;
  }

  Out out;

 private:
  static constexpr std::size_t guard = 64;
  static constexpr float mark = -12345.75f;
  std::vector<std::vector<float>> arrays_;
};

struct Difference {
  double largest = 0, maximum = 0;
};

Difference compare(std::span<const float> expected, std::span<const float> actual) {
  Difference result;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    result.maximum = std::max(result.maximum, std::abs(static_cast<double>(expected[i])));
    const double difference = std::abs(static_cast<double>(expected[i]) - actual[i]);
    if (!(difference <= result.largest)) result.largest = difference;
    if (std::isnan(difference)) return {INFINITY, result.maximum};
  }
  return result;
}

// A device may flush what is below the normal numbers, sample by sample.
constexpr double flushed = 1e-33;

class Parity : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gpu::built || gpu::devices().empty()) GTEST_SKIP() << gpu::no_device_reason();
    device_ = &gpu::open_device();
  }
  void TearDown() override {
    for (const std::string& message : gpu::validation_messages()) ADD_FAILURE() << message;
  }

  template <class Op>
  void run_gpu(const OpCase<Op>& each, const typename Op::Plan& plan,
               const GuardedOutputs<Op>& to) {
    gpu::run_streamed(*device_, gpu::KernelTask<Op>(plan, each.in, to.out));
    EXPECT_TRUE(to.guards_intact());
  }

  template <class Op>
  void check_case(const OpCase<Op>& each) {
    const auto plan = Op::plan(each.params, each.in);
    const char* reason = gpu::Kernel<Op>::supports(plan, gpu::info(*device_).limits);
    ASSERT_EQ(reason == nullptr, each.on_gpu) << (reason ? reason : "taken");
    if (reason) return;
    GuardedOutputs<Op> cpu(plan), gpu(plan), cut(plan);
    Op::run_cpu(plan, each.in, cpu.out);
    run_gpu(each, plan, gpu);
    for (std::size_t i = 0; i < cpu.values().size(); ++i) {
      const Difference found = compare(cpu.values()[i], gpu.values()[i]);
      EXPECT_LE(found.largest, std::max(each.tolerance * found.maximum, flushed))
          << "maximum " << found.maximum;
      worst_ = std::max(worst_, found.maximum > flushed && std::isfinite(each.tolerance)
                                    ? found.largest / found.maximum
                                    : 0.0);
    }
  }

  template <class Op>
  void check_all() {
    const auto cases = op_cases<Op>();
    ASSERT_FALSE(cases.empty());
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

TEST_F(Parity, Stft) {
  check_all<ops::Stft>();
}
TEST_F(Parity, Istft) {
  check_all<ops::Istft>();
}
TEST_F(Parity, FilterbankSpectrogram) {
  check_all<ops::FilterbankSpectrogram>();
}
TEST_F(Parity, ChromaSpectrogram) {
  check_all<ops::ChromaSpectrogram>();
}
TEST_F(Parity, Cepstrum) {
  check_all<ops::Cepstrum>();
}
TEST_F(Parity, Dct) {
  check_all<ops::Dct>();
}
TEST_F(Parity, Decibel) {
  check_all<ops::Decibel>();
}

}  // namespace

}  // namespace metalmom::test
