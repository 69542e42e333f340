// Stages, workers and blocks of streams report through hooks of `base`; a recording installs that of
// blocks, and one with detail the others.
#pragma once

namespace metalmom::trace {

void install_block_hook();
void remove_block_hook();
void install_hooks();
void remove_hooks();

}  // namespace metalmom::trace
