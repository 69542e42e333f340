// The members of an op that its file defines are compiled there, for float and for double: a line
// or two at its end. Macros, since C++ instantiates members of a class only by their signatures,
// and these are the same for every op.
#pragma once

#include "ops/op.hpp"

#define METALMOM_INSTANTIATE_PLAN(Op)                                  \
  template Op::Plan Op::plan(const Op::Params&, const Op::In<float>&); \
  template Op::Plan Op::plan(const Op::Params&, const Op::In<double>&)

#define METALMOM_INSTANTIATE_CHECK(Op)                             \
  template void Op::check_values(Op::Plan&, const Op::In<float>&); \
  template void Op::check_values(Op::Plan&, const Op::In<double>&)

#define METALMOM_INSTANTIATE_RUN(Op)                                                       \
  static_assert(Operation<Op>);                                                            \
  template void Op::run_cpu(const Op::Plan&, const Op::In<float>&, const Op::Out<float>&); \
  template void Op::run_cpu(const Op::Plan&, const Op::In<double>&, const Op::Out<double>&)

#define METALMOM_INSTANTIATE_OP(Op) \
  METALMOM_INSTANTIATE_PLAN(Op);    \
  METALMOM_INSTANTIATE_RUN(Op)

// An op that is a consumer of frames, too.
#define METALMOM_INSTANTIATE_FRAME_OP(Op)                                                         \
  static_assert(FrameOperation<Op>);                                                              \
  template std::unique_ptr<Consumer<float>> Op::consumer(const Op::Plan&, const Op::In<float>&,   \
                                                         const Op::Out<float>&);                  \
  template std::unique_ptr<Consumer<double>> Op::consumer(const Op::Plan&, const Op::In<double>&, \
                                                          const Op::Out<double>&);                \
  METALMOM_INSTANTIATE_RUN(Op)
