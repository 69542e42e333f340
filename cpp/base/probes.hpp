// Moments that programs outside the process can watch while it runs (bpftrace, perf, SystemTap),
// also while nothing is recorded. Each is a static probe of the provider `metalmom`: a nop, and a
// note in the binary that says where it is and where its arguments are. Without METALMOM_USDT
// nothing happens here.
#pragma once

#include <cstdint>

namespace metalmom::probes {

extern const bool built;

// A public function: its name, and a number that no other open call has.
void call_begin(const char* function, const void* id) noexcept;
void call_end(const char* function, const void* id) noexcept;

// Work on a GPU, from its submission until the host has seen its end: the name of the device, and a
// number that no other work in flight has.
void submission_begin(const char* device, const void* id) noexcept;
void submission_end(const char* device, const void* id) noexcept;

// A block that a stream has taken: its class, nanoseconds, and how many blocks have been late, with
// this one; 0: this one was not.
void block(const char* stream, std::int64_t ns, std::int64_t late) noexcept;

}  // namespace metalmom::probes
