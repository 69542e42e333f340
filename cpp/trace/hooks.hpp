// Stages and workers report through hooks of `base`; a recording with detail installs these.
#pragma once

namespace metalmom::trace {

void install_hooks();
void remove_hooks();

}  // namespace metalmom::trace
