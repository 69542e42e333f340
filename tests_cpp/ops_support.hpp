// What tests of ops share.
#pragma once

#include <type_traits>
#include <vector>

#include "base/buffer.hpp"
#include "base/fields.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

// Runs an op on one input and returns the values of its first result.
template <class Op>
auto results(const typename Op::Params& params, const typename Op::template In<float>& in) {
  const auto plan = Op::plan(params, in);
  auto out = Op::template outputs<float>(plan);
  auto& view = decltype(out)::fields()([&](const auto& first, const auto&...) -> auto& {
    return out.*first.member;
  });
  const Buffer<std::remove_cvref_t<decltype(*view.data)>> memory(
      static_cast<std::size_t>(view.size()));
  view.data = memory.data();
  Op::run_cpu(plan, in, out);
  return std::vector(memory.begin(), memory.end());
}

}  // namespace metalmom::ops
