// An op as a function of keyword arguments. Each family of ops is bound in a file of its own
// (ops_<family>.cpp), which compile beside each other.
#pragma once

#include <string_view>

#include "bridge/bound_call.hpp"

namespace metalmom::bridge {

void bind_reader(py::module_& module, std::string_view op, Reader read, bool has_kernel);

// Binds every op of a list.
template <class List>
void bind_list(py::module_& module) {
  List::for_each(
      [&]<class Op>() { bind_reader(module, Op::name, &read_op<Op>, gpu::Kernel<Op>::exists); });
}

}  // namespace metalmom::bridge
