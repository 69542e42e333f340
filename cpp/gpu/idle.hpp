// Gives back what is only kept, when a process does something else.
#pragma once

namespace metalmom::gpu {

// Something is kept: a thread looks at it every few seconds, until nothing is. Memory that no call
// has used for five to ten seconds goes back to the driver.
void watch_idle_memory();

// What that thread does each time, over all opened devices. Whether anything is still kept.
bool age_memory();

}  // namespace metalmom::gpu
