// What the tests of cpp/gpu share: a device, and an op of their own that copies.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "base/error.hpp"
#include "gpu/device.hpp"
#include "gpu/kernel.hpp"
#include "gpu/run/run.hpp"
#include "gpu/testing.hpp"
#include "gpu/vk/validation.hpp"
#include "shader/copy.hpp"

namespace metalmom::testing {

// (batch, 1, n) copied in words of four values, which are the units a clip can be cut at.
struct CopyOp {
  struct Plan {
    Index batch, words;
    bool careless = false;  // says of what it writes that it reads it
  };
  template <class T>
  struct In {
    View<const T> y;
  };
  template <class T>
  struct Out {
    View<T> copy;
  };
};

// The interface of a copy that says that it only reads what it writes.
struct CarelessCopy : gpu::shader::Copy {
  struct Buffers {
    gpu::Read source, target;
    std::array<gpu::Binding, 2> all() const { return {source, target}; }
  };
};

// Skips a test on a machine without Vulkan, unless METALMOM_REQUIRE_GPU says that there must be
// one.
class GpuTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!gpu::devices().empty()) return;
    if (std::getenv("METALMOM_REQUIRE_GPU")) FAIL() << gpu::no_device_reason();
    GTEST_SKIP() << gpu::no_device_reason();
  }
  // The validation layer watches every test that ctest runs. On a busy machine it (1.3.239) can
  // wait in vain for its own record of a timeline that the host signals, and says that the error is
  // its.
  void TearDown() override {
    for (const std::string& message : gpu::take_validation_messages())
      if (message.find("most likely a validation bug") == std::string::npos)
        ADD_FAILURE() << message;
  }
};

// The same for tests of the default device, which may give it a limit of memory.
class DefaultDeviceTest : public GpuTest {
 protected:
  void TearDown() override {
    if (!IsSkipped()) gpu::set_memory_limit(device(), SIZE_MAX);
    GpuTest::TearDown();
  }
  static gpu::Device& device() { return gpu::open_device(); }
};

}  // namespace metalmom::testing

namespace metalmom::gpu {

template <>
struct Kernel<testing::CopyOp> : KernelBase {
  using Op = testing::CopyOp;
  static Reason supports(const Op::Plan&, const Limits&) { return nullptr; }
  static std::array<HostArray, 1> inputs(const Op::In<float>& in) { return {host_array(in.y)}; }
  static std::array<HostArray, 1> outputs(const Op::Out<float>& out) {
    return {host_array(out.copy)};
  }
  static Index units(const Op::Plan& plan) { return plan.words; }
  static Region input_region(const Op::Plan&, const Piece& piece, std::size_t) {
    return {0, 1, 4 * piece.unit, 4 * piece.n_units};
  }
  static Region output_region(const Op::Plan& plan, const Piece& piece, std::size_t i) {
    return input_region(plan, piece, i);
  }
  static void record(Session& session, const Op::Plan& plan, const Op::In<float>&,
                     const Piece& piece, const Slices& slices) {
    const CopyPush push{static_cast<uint>(piece.n_clips * piece.n_units)};
    if (!plan.careless)
      return session.dispatch(shader::Copy{}, {64}, {slices.in[0], slices.out[0]}, push);
    session.dispatch(testing::CarelessCopy{}, {64}, {slices.in[0], slices.out[0]}, push);
    // And back, where nothing makes it wait for what it reads.
    session.dispatch(testing::CarelessCopy{}, {64}, {slices.out[0], slices.in[0]}, push);
  }
};

}  // namespace metalmom::gpu

namespace metalmom::testing {

// A copy of an array of `batch` clips, made on its device by a kernel that nobody waits for.
inline gpu::DeviceData copied(const gpu::DeviceData& array, Index batch = 1) {
  const auto n = static_cast<Index>(array.memory->bytes / sizeof(float)) / batch;
  const CopyOp::Plan plan{batch, n / 4};
  const CopyOp::In<float> in{{nullptr, batch, 1, n}};
  const CopyOp::Out<float> out{{nullptr, batch, 1, n}};
  const gpu::KernelTask<CopyOp> task(plan, in, out);
  const gpu::DeviceData copy = gpu::make_array(*array.device, array.memory->bytes);
  gpu::run_resident(*array.device, task, {&array, 1}, {&copy, 1});
  return copy;
}

}  // namespace metalmom::testing
