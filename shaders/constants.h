// Numbers that the shaders and the C++ that records them must agree on: the one declaration for GLSL
// and C++ alike, in what both languages have.
#ifndef METALMOM_CONSTANTS
#define METALMOM_CONSTANTS
#ifdef __cplusplus
#define CONSTANT constexpr
#else
#define CONSTANT const
#endif

// The sizes of frames that have a transform, and its shape: a frame has 2^log_lanes threads, and its
// passes have the radices 2^a, 2^b and 2^c (c = 0: two passes). A thread holds 2^a complex points, so
// n_fft = 2 * 2^a * 2^log_lanes. More points a thread mean fewer exchanges and more registers: 32
// threads of 32 points are the fastest for 2048.
#define TRANSFORM_SIZES 6
CONSTANT uint transform_sizes[TRANSFORM_SIZES] = {256, 512, 1024, 2048, 4096, 8192};
CONSTANT uint transform_log_lanes[TRANSFORM_SIZES] = {3, 4, 4, 5, 7, 8};
CONSTANT uint transform_radix_a[TRANSFORM_SIZES] = {4, 4, 5, 5, 4, 4};
CONSTANT uint transform_radix_b[TRANSFORM_SIZES] = {3, 4, 4, 5, 4, 4};
CONSTANT uint transform_radix_c[TRANSFORM_SIZES] = {0, 0, 0, 0, 3, 4};

CONSTANT uint warp = 32;  // threads that go in step, banks of shared memory

// Threads of a group where frames share a basis; from wide_from samples a frame needs more.
CONSTANT uint wide_from = 4096;
CONSTANT uint narrow_threads = 128, wide_threads = 256;

// Threads of the groups of the other kernels.
CONSTANT uint decibel_threads = 256, decibel_values = 8;  // values of a thread
CONSTANT uint dct_threads = 128, dct_block = 20;          // coefficients of a thread
CONSTANT uint flux_threads = 128;
CONSTANT uint hpss_threads = 64;
CONSTANT uint bin_threads = 256;  // magnitudes, phases
CONSTANT uint overlap_threads = 256;
CONSTANT uint copy_threads = 256;
CONSTANT uint pcen_threads = 128, pcen_rows = 32;  // rows of a group
CONSTANT uint vocoder_threads = 256;
CONSTANT uint decimate_threads = 128, decimate_outputs = 8;  // results of a thread
CONSTANT uint decimate_taps = 200;                           // of a phase
// Rows of filters and frames of a group, a thread for four by four of them; samples at a time.
CONSTANT uint octave_rows = 24, octave_frames = 64, octave_depth = 16;
CONSTANT uint octave_threads = octave_rows / 4 * (octave_frames / 4);

CONSTANT uint median_network = 32;  // inputs of a sorting network: a window is shorter by one

// Words of the state that finding a tuning has on the device (peaks.comp, ranks.comp): the peaks found,
// the digits known of the median's bits and its rank among the peaks that have them, the largest
// magnitude below it, the peaks that found no room; then counts of a digit's values; then the votes for
// each cell.
CONSTANT uint peaks_found = 0, median_bits = 1, median_rank = 2, below_median = 3, peaks_lost = 4;
CONSTANT uint digit_counts = 5, digit_values = 2048;
CONSTANT uint tuning_votes = 2053, tuning_cells = 4096;  // at most so many
CONSTANT uint ranks_threads = 256, ranks_groups = 512;

// What lies beyond the ends of a clip: dsp::PadMode.
CONSTANT uint pad_constant = 0, pad_edge = 1, pad_linear_ramp = 2, pad_reflect = 3,
              pad_symmetric = 4, pad_empty = 5;

// What a frame is divided by.
CONSTANT uint norm_none = 1, norm_maximum = 2, norm_minimum = 3, norm_count = 4, norm_sum = 5,
              norm_euclid = 6, norm_power = 7;

// Exponents that have code of their own are their own kind; others are pushed.
CONSTANT uint power_pushed = 0;
CONSTANT uint mask_winner = 3;  // of separation: the larger takes all

// How pcen.comp compresses: to the power 0.5, to its limits for a power and for a bias of zero, else.
CONSTANT uint pcen_root = 0, pcen_logarithm = 1, pcen_power = 2, pcen_biased = 3;

CONSTANT uint vocoder_still = 0x80000000;  // a time at the last frame: there is no next one

// How the bins of a basis are shared out (weigh.glsl, band_layout.cpp). A warp has up to
// job_entries / warps jobs, each a word: steps of its longest task, group of frames, where its weights
// begin. A task's word is its first bin and its number.
CONSTANT uint job_entries = 16;
CONSTANT uint job_group_shift = 13, job_weights_shift = 16;
CONSTANT uint task_number_shift = 16, task_idle = 0xffff;
CONSTANT uint step_multiple = 4;  // a task has a multiple of so many steps
CONSTANT uint table_align = 64;   // floats: what comes before the weights

#endif
