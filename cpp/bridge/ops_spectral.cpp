#include "bridge/bind_op.hpp"
#include "bridge/bindings.hpp"
#include "ops/spectral/all.hpp"

namespace metalmom::bridge {

void bind_spectral_ops(py::module_& module) {
  bind_list<ops::SpectralOps>(module);
}

}  // namespace metalmom::bridge
