// The shape of a workgroup: FRAMES consecutive frames of one clip, LANES threads each, POINTS
// complex points a thread, for the compile-time N_FFT = 2 * POINTS * LANES (constants.h).
#include "constants.h"

const uint size_index = uint(N_FFT > 256) + uint(N_FFT > 512) + uint(N_FFT > 1024) +
                        uint(N_FFT > 2048) + uint(N_FFT > 4096);
#define LOG_LANES transform_log_lanes[size_index]
#define LOG_RADIX_A transform_radix_a[size_index]
#define LOG_RADIX_B transform_radix_b[size_index]
#define LOG_RADIX_C transform_radix_c[size_index]
#define POINTS (1 << LOG_RADIX_A)
#define LANES (1 << LOG_LANES)
#define HALF (N_FFT / 2)
// Where frames share nothing (SINGLE_FRAMES) as few threads as fill a warp: barriers wait for less then.
#ifdef SINGLE_FRAMES
#define THREADS (LANES < warp ? warp : LANES)
#else
#define THREADS (N_FFT < wide_from ? narrow_threads : wide_threads)
#endif
#define FRAMES (THREADS / LANES)

layout(local_size_x = THREADS) in;
#include "push/frames.h"
#include "row.glsl"
