#include "bridge/bind_op.hpp"
#include "bridge/bindings.hpp"
#include "ops/pitch/all.hpp"

namespace metalmom::bridge {

void bind_pitch_ops(py::module_& module) {
  bind_list<ops::PitchOps>(module);
}

}  // namespace metalmom::bridge
