// Numbers that shaders and the C++ that records them must agree on. This is their only declaration;
// it uses only what both languages have.
#ifndef METALMOM_CONSTANTS
#define METALMOM_CONSTANTS
#ifdef __cplusplus
#define CONSTANT constexpr
#else
#define CONSTANT const
#endif

// One row for each size of frames that has a transform. A frame has n_fft / 2 complex points,
// divided equally among `lanes` threads. The product of the radices is the number of points of a
// frame. A radix is a power of two, or 3 or 5 times one, and divides the points of a thread;
// radix_c = 1 means two passes. More points a thread mean fewer exchanges and more registers: 32
// threads of 32 points are the fastest for 2048. Where frames share a basis, a group has `threads`:
// whole warps and whole frames. There the points of a frame cross shared memory in rows of `lanes`,
// `pitch` apart: more than `lanes` where that puts both ways, along the rows and down them, on
// different banks. It needs radix_a = lanes and two passes.
struct TransformRow {
  uint n_fft, lanes, threads, radix_a, radix_b, radix_c, pitch;
};
CONSTANT TransformRow transform_rows[] = {
    {256, 8, 128, 16, 8, 1, 8},        //
    {320, 8, 128, 4, 2, 20, 8},        //
    {400, 10, 160, 10, 20, 1, 17},     //
    {512, 16, 128, 16, 16, 1, 16},     //
    {600, 10, 160, 5, 6, 10, 10},      //
    {800, 20, 160, 20, 20, 1, 25},     //
    {1024, 16, 128, 32, 16, 1, 16},    //
    {1200, 20, 160, 10, 6, 10, 20},    //
    {2048, 32, 128, 32, 32, 1, 32},    //
    {4096, 128, 256, 16, 16, 8, 128},  //
    {8192, 256, 256, 16, 16, 16, 256},
};

CONSTANT uint warp = 32;  // threads that run in step; also the number of banks of shared memory

// Threads of the groups of the other kernels.
CONSTANT uint decibel_threads = 256, decibel_values = 8;  // values of each thread
CONSTANT uint dct_threads = 128, dct_block = 20;          // coefficients of each thread
CONSTANT uint flux_threads = 128;
CONSTANT uint hpss_threads = 64;
CONSTANT uint bin_threads = 256;  // magnitudes, phases
CONSTANT uint overlap_threads = 256;
CONSTANT uint copy_threads = 256;
// Blocks of each thread, and partitions that it adds at a time.
CONSTANT uint partition_threads = 128, partition_blocks = 16, partition_steps = 4;
CONSTANT uint pcen_threads = 128, pcen_rows = 32;  // rows of each group
CONSTANT uint vocoder_threads = 256;
CONSTANT uint delta_threads = 256, delta_values = 4;         // values of each thread
CONSTANT uint decimate_threads = 128, decimate_outputs = 8;  // results of each thread
CONSTANT uint decimate_taps = 200;                           // of each of its two phases
// Rows of filters and frames of each group (each thread has four by four of them); samples that are
// in shared memory at a time.
CONSTANT uint octave_rows = 24, octave_frames = 64, octave_depth = 16;
CONSTANT uint octave_threads = octave_rows / 4 * (octave_frames / 4);

// Results of a period, and periods, of each group that changes a rate (each thread has four by four
// of them); samples that are in shared memory at a time.
CONSTANT uint resample_rows = 32, resample_periods = 64, resample_depth = 16;
CONSTANT uint resample_threads = resample_rows / 4 * (resample_periods / 4);

// inputs of the sorting network; windows have at most one value less
CONSTANT uint median_network = 32;

// The state of finding a tuning on the device (peaks.comp, ranks.comp), in words: the number of
// peaks found; the leading bits of the median that are known, and the median's rank among the peaks
// with these bits; the largest magnitude below the median; the number of peaks that found no room.
// Then the counts of each value of a digit, and the votes for each cell.
CONSTANT uint peaks_found = 0, median_bits = 1, median_rank = 2, below_median = 3, peaks_lost = 4;
CONSTANT uint digit_counts = 5, most_digit_bits = 11, digit_values = 1u << most_digit_bits;
CONSTANT uint tuning_votes = digit_counts + digit_values;
CONSTANT uint tuning_cells = 4096;  // at most
CONSTANT uint ranks_threads = 256, ranks_groups = 512;

// What ranks.comp does: counts the values of a digit, chooses the median's digit, looks for the
// next smaller magnitude, lets the peaks vote; or all of it.
CONSTANT uint ranks_count = 0, ranks_choose = 1, ranks_look_below = 2, ranks_vote = 3,
              ranks_all = 4;

// What samples.comp computes. Crossings are between signs; a zero is positive, or has a sign of its
// own.
CONSTANT uint samples_rms = 0, samples_crossings = 1, samples_signed_crossings = 2;

// What shape.comp computes: dsp::Shape.
CONSTANT uint shape_centroid = 0, shape_bandwidth = 1, shape_rolloff = 2, shape_flatness = 3;

// How a clip is continued beyond its ends: the values of dsp::PadMode.
CONSTANT uint pad_constant = 0, pad_edge = 1, pad_linear_ramp = 2, pad_reflect = 3,
              pad_symmetric = 4, pad_empty = 5;

// What stands in for frames beyond the ends: the values of dsp::Ends.
CONSTANT uint ends_interp = 0, ends_nearest = 1, ends_mirror = 2, ends_constant = 3, ends_wrap = 4;

// By which norm a frame is divided.
CONSTANT uint norm_none = 1, norm_maximum = 2, norm_minimum = 3, norm_count = 4, norm_sum = 5,
              norm_euclid = 6, norm_power = 7;

// Kinds of exponents. 1 to 4 stand for themselves and have code of their own; others are pushed as
// a constant.
CONSTANT uint power_pushed = 0;
CONSTANT uint mask_winner = 3;  // in separation: the larger median takes all

// How pcen.comp compresses: to the power 0.5; as the limits for a power, or a bias, of zero; by any
// power.
CONSTANT uint pcen_root = 0, pcen_logarithm = 1, pcen_power = 2, pcen_biased = 3;

// marks a time at or behind the last frame: there is no next frame
CONSTANT uint vocoder_still = 0x80000000;

// How the bins of a basis are shared out (weigh.glsl, band_layout.cpp). A warp has up to
// job_entries / warps jobs. Each is a word: the steps of its longest task, its group of frames,
// where its weights begin. A task is a word, too: its first bin and its number.
CONSTANT uint job_entries = 16;
CONSTANT uint job_group_shift = 13, job_weights_shift = 16;
CONSTANT uint task_number_shift = 16, task_idle = 0xffff;
CONSTANT uint step_multiple = 4;  // the steps of a task are a multiple of it
CONSTANT uint table_align = 64;   // in floats: where the weights may begin

#endif
