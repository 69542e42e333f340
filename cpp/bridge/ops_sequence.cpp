#include "bridge/bind_op.hpp"
#include "bridge/bindings.hpp"
#include "ops/sequence/all.hpp"

namespace metalmom::bridge {

void bind_sequence_ops(py::module_& module) {
  bind_list<ops::SequenceOps>(module);
}

}  // namespace metalmom::bridge
