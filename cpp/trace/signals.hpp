// Signals of which a thread is told. A handler of signals may do next to nothing, so this one
// writes the number of its signal to a pipe, which a thread reads, and calls the handler that was
// there before.
#pragma once

namespace metalmom::trace {

// The end of the pipe that a thread reads: one byte a signal. A forked child gets a pipe of its own
// by its next call. Throws std::system_error where the system has none.
int signal_pipe();

// What is written to that pipe of a late block of a stream. Signals have smaller numbers.
inline constexpr int late_block = 255;

// From now on the first late block is told of, and then one in so many seconds at most; infinitely
// many: none is.
void tell_of_late_blocks_every(double seconds) noexcept;

// Writes `late_block` to that pipe, if it is to be told of.
void tell_of_late_block() noexcept;

// Writes a byte to that pipe, as the handler does; does nothing without a pipe, or where it is
// full.
void write_to_pipe(int number) noexcept;

// Tells of a signal from now on; false for a signal whose handler cannot be changed. A handler that
// was there before is still called; the system's own action does not happen.
bool listen_to(int number) noexcept;

// Puts back what was there before, unless somebody has replaced the handler meanwhile.
void stop_listening_to(int number) noexcept;

}  // namespace metalmom::trace
