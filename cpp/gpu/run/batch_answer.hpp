// What a kernel finds out about the whole batch (a tuning), beside the results of its pieces: all
// of them add to one memory on the device, and the answer comes out of it when the last one is
// done.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gpu/kernel.hpp"

namespace metalmom::gpu {

class Session;

// The part of a kernel's specialisation that gpu/kernel.hpp describes, with its types erased.
class BatchAnswer {
 public:
  virtual ~BatchAnswer() = default;
  virtual std::size_t shared_bytes(std::size_t most) const = 0;
  virtual void record_first(Session& session, const Slice& shared) const = 0;
  virtual void record_last(Session& session, const Slice& shared) const = 0;
  virtual std::size_t answer_bytes() const = 0;
  virtual void take_answer(const std::byte* answer) const = 0;
};

// The answer of an op's kernel. Most kernels answer nothing for the batch: an empty class.
template <class Op>
class KernelAnswer {
 public:
  KernelAnswer(const auto& /*plan*/, const auto& /*out*/) {}
};

template <AnswersForBatch Op>
class KernelAnswer<Op> final : public BatchAnswer {
 public:
  using K = Kernel<Op>;
  KernelAnswer(const typename Op::Plan& plan, const typename Op::template Out<float>& out)
      : plan_(plan), out_(out) {}

  std::size_t shared_bytes(std::size_t most) const override { return K::shared_bytes(plan_, most); }
  void record_first(Session& session, const Slice& shared) const override {
    K::record_first(session, plan_, shared);
  }
  void record_last(Session& session, const Slice& shared) const override {
    K::record_last(session, plan_, shared);
  }
  std::size_t answer_bytes() const override { return K::answer_bytes(plan_); }
  void take_answer(const std::byte* answer) const override {
    K::take_answer(plan_, out_, {answer, answer_bytes()});
  }

 private:
  const typename Op::Plan& plan_;
  const typename Op::template Out<float>& out_;
};

}  // namespace metalmom::gpu
