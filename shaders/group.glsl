// The shape of a workgroup: FRAMES consecutive frames of one clip, LANES threads each, POINTS
// complex points a thread, as the row TRANSFORM of the table in constants.h says.
#include "constants.h"

const TransformRow transform = transform_rows[TRANSFORM];
#define N_FFT int(transform.n_fft)
#define HALF (transform.n_fft / 2)
#define LANES transform.lanes
#define POINTS (HALF / LANES)
// Where frames share nothing (SINGLE_FRAMES) as few threads as fill a warp: barriers wait for less then.
#ifdef SINGLE_FRAMES
#define THREADS (LANES < warp ? warp / LANES * LANES : LANES)
#else
#define THREADS transform.threads
#endif
#define FRAMES (THREADS / LANES)

layout(local_size_x = THREADS) in;
#include "push/frames.h"
#include "row.glsl"
