#include "bridge/bind_op.hpp"
#include "bridge/bindings.hpp"
#include "ops/core/all.hpp"

namespace metalmom::bridge {

void bind_core_ops(py::module_& module) {
  bind_list<ops::CoreOps>(module);
}

}  // namespace metalmom::bridge
