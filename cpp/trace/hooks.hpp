// Stages, workers and caches report through hooks of `base`. Caches do while somebody records, the
// others while somebody records with detail.
#pragma once

namespace metalmom::trace {

void install_hooks();
void remove_hooks();

void hear_caches(bool on);

}  // namespace metalmom::trace
