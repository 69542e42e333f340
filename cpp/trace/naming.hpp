// Names of threads that another language has made and knows.
#pragma once

#include <atomic>

namespace metalmom::trace {

// Calls name_thread for the calling thread, if that language can tell its name now. It is asked
// with the first event of a thread, and with each call and block until there is a name.
inline std::atomic<void (*)() noexcept> naming_hook{nullptr};
void ask_for_name() noexcept;

}  // namespace metalmom::trace
