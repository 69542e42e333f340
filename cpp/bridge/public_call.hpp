// The name by which a user knows a call, as the wrapper of public functions (metalmom.util._public) says it.
#pragma once

#include <pybind11/pybind11.h>

#include "trace/trace.hpp"

namespace metalmom::bridge {

// Names an outermost bridge span after the public function that makes the call (melspectrogram), whose
// op inside has its own name (filterbank_spectrogram).
void name_after_public_call(trace::Span& span);

void bind_public_call(pybind11::module_& module);

}  // namespace metalmom::bridge
