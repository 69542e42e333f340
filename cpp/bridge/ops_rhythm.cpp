#include "bridge/bind_op.hpp"
#include "bridge/bindings.hpp"
#include "ops/rhythm/all.hpp"

namespace metalmom::bridge {

void bind_rhythm_ops(py::module_& module) {
  bind_list<ops::RhythmOps>(module);
}

}  // namespace metalmom::bridge
