// What the wrapper of public functions (metalmom.util._public) says of a call: that it runs, and
// the name by which a user knows it.
#pragma once

#include <pybind11/pybind11.h>

#include "trace/trace.hpp"

namespace metalmom::bridge {

// Names an outermost bridge span after the public function that makes the call (melspectrogram),
// whose op inside has its own name (filterbank_spectrogram).
void name_after_public_call(trace::Span& span);

// Whether this thread runs code of the package, not the user's.
bool in_public_call();

void bind_public_call(pybind11::module_& module);

}  // namespace metalmom::bridge
