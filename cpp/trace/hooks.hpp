// Blocks of streams, caches, stages and workers report through hooks of `base`: the first two while
// somebody records, the others while somebody records with detail.
#pragma once

namespace metalmom::trace {

void hear(bool on);
void hear_details(bool on);

}  // namespace metalmom::trace
