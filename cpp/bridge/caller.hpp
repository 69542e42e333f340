// The name by which a user knows a call.
#pragma once

#include "trace/trace.hpp"

namespace metalmom::bridge {

// Names an outermost bridge span after the public function of metalmom that makes the call
// (melspectrogram), whose op inside has its own name (filterbank_spectrogram). Costs nothing
// while nobody records.
void name_after_caller(trace::Span& span);

}  // namespace metalmom::bridge
