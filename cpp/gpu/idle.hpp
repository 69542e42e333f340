// Gives memory that is only kept back to the driver when no calls come any more.
#pragma once

namespace metalmom::gpu {

// To be called when something is kept: a thread then looks at it every few seconds until nothing is
// kept. Memory that no call has used for five to ten seconds goes back to the driver.
void watch_idle_memory();

// One step of that thread, over all opened devices. Returns whether anything is still kept.
bool age_memory();

}  // namespace metalmom::gpu
