#include "bridge/bound_op.hpp"

namespace metalmom::bridge {

BoundCall::BoundCall(KeptArrays arrays) : arrays_(std::move(arrays)) {}
BoundCall::~BoundCall() = default;

py::object BoundCall::result() const {
  if (results_.size() == 1) return results_[0];
  return py::tuple(results_);
}

}  // namespace metalmom::bridge
