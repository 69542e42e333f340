// The shape of a workgroup: FRAMES consecutive frames of one clip, LANES threads each, POINTS complex
// points a thread, for the compile-time N_FFT = 2 * POINTS * LANES. A frame's transform takes two
// passes of radix POINTS and LOG_RADIX_B (and a third), so more points per thread mean fewer
// exchanges and more registers: 32 x 32 is the fastest for 2048.
#if N_FFT == 256
#define LOG_POINTS 4
#define LOG_LANES 3
#define LOG_RADIX_B 3
#define LOG_RADIX_C 0
#elif N_FFT == 512
#define LOG_POINTS 4
#define LOG_LANES 4
#define LOG_RADIX_B 4
#define LOG_RADIX_C 0
#elif N_FFT == 1024
#define LOG_POINTS 5
#define LOG_LANES 4
#define LOG_RADIX_B 4
#define LOG_RADIX_C 0
#elif N_FFT == 2048
#define LOG_POINTS 5
#define LOG_LANES 5
#define LOG_RADIX_B 5
#define LOG_RADIX_C 0
#elif N_FFT == 4096
#define LOG_POINTS 4
#define LOG_LANES 7
#define LOG_RADIX_B 4
#define LOG_RADIX_C 3
#elif N_FFT == 8192
#define LOG_POINTS 4
#define LOG_LANES 8
#define LOG_RADIX_B 4
#define LOG_RADIX_C 4
#endif

#define LOG_RADIX_A LOG_POINTS
#define POINTS (1 << LOG_POINTS)
#define LANES (1 << LOG_LANES)
#define HALF (N_FFT / 2)
#ifndef THREADS  // as small as a warp where frames have nothing to share: barriers wait for less
#define THREADS (N_FFT < 4096 ? 128 : 256)
#endif
#define FRAMES (THREADS / LANES)

layout(local_size_x = THREADS) in;
#include "push/frames.h"
