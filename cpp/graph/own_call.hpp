// A call with memory of its own for its plan and its results: what runs ops without Python.
#pragma once

#include <vector>

#include "base/buffer.hpp"
#include "graph/call.hpp"

namespace metalmom::graph {

template <class Op, class T = float>
class OwnCall {
 public:
  // Checked and allocated, not yet run. What `in` looks at must outlive this.
  OwnCall(const typename Op::Params& params, const typename Op::template In<T>& in)
      : in_(in), plan_(Op::plan(params, in_)), out_(Op::template outputs<T>(plan_)) {
    ops::check_values<Op, T>(plan_, in_);
    using Out = typename Op::template Out<T>;
    for_each_field<Out>([&](const auto& each) {
      auto& view = out_.*each.member;
      using Value = std::remove_pointer_t<decltype(view.data)>;
      memory_.emplace_back(static_cast<std::size_t>(view.size()) * sizeof(Value));
      view.data = reinterpret_cast<Value*>(memory_.back().data());
    });
  }
  OwnCall(const OwnCall&) = delete;  // the call refers to its members

  const Call& call() const { return call_; }
  void run() const { call_.run(); }
  const typename Op::template Out<T>& out() const { return out_; }

 private:
  const typename Op::template In<T> in_;
  typename Op::Plan plan_;
  typename Op::template Out<T> out_;
  std::vector<Buffer<std::byte>> memory_;
  const OpCall<Op, T> call_{plan_, in_, out_};
};

}  // namespace metalmom::graph
