#include "bridge/bind_op.hpp"
#include "bridge/bindings.hpp"
#include "ops/segment/all.hpp"

namespace metalmom::bridge {

void bind_segment_ops(py::module_& module) {
  bind_list<ops::SegmentOps>(module);
}

}  // namespace metalmom::bridge
