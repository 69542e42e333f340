#include "bridge/bind_op.hpp"
#include "bridge/bindings.hpp"
#include "ops/effects/all.hpp"

namespace metalmom::bridge {

void bind_effects_ops(py::module_& module) {
  bind_list<ops::EffectsOps>(module);
}

}  // namespace metalmom::bridge
