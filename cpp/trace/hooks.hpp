// Stages, workers, caches and blocks of streams report through hooks of `base`; a recording installs those
// of caches and blocks, and one with detail the others.
#pragma once

namespace metalmom::trace {

void install_plain_hooks();
void remove_plain_hooks();
void install_hooks();
void remove_hooks();

}  // namespace metalmom::trace
