// Sums of powers weighed by a basis (mel, chroma): band = sum over bins of weight * power.
//
// The powers of a group's frames are in `exchange` in shared memory, frame_stride floats a frame.
// The bins of the basis are cut into tasks, runs of bins with two weights each; 32 tasks are done
// in step by the threads of a warp, each weight serving several frames. gpu/kernels/band_layout.hpp
// says how the host shares the bins out, and why; constants.h has the bits of the words. The table
// of weights is such that a warp's loads are runs of memory, and the places where its threads read
// powers are on different banks. The sums of a thread stay in registers until all powers have been
// read; then they take the powers' places.
//
// Sums run over the bins in rising order, whatever the device. Needs push.n_bands, push.parts and
// push.steps.
layout(constant_id = 0) const uint jobs = 1;             // jobs of a thread, one after the other
layout(constant_id = 1) const uint frame_stride = HALF;  // floats of a frame in `exchange`
// true: tasks of bins that feed two neighbouring bands; false: parts of the rows of two bands
layout(constant_id = 2) const bool overlapping = true;
layout(constant_id = 6) const bool nyquist = false;      // whether a band weighs the last bin
layout(constant_id = 7) const uint job_frames = FRAMES;
// First a word for each job of each thread: its task's first bin and number. Then the last bin's
// weight in each band. Then pairs of weights, 32 tasks a step.
layout(set = 0, binding = 3, std430) readonly buffer Weights { float weights[]; };
layout(set = 0, binding = 3, std430) readonly buffer WeightPairs { vec2 weight_pairs[]; };

shared float exchange[FRAMES * frame_stride];

#define WARPS (THREADS / warp)
#define MAX_JOBS (job_entries / WARPS)
#define STEPS step_multiple
uint task[MAX_JOBS];
float low[MAX_JOBS * FRAMES], high[MAX_JOBS * FRAMES];

// Called first, so that these loads are done when the powers are.
void load_tasks() {
  [[unroll]] for (uint job = 0; job < MAX_JOBS; ++job)
    if (job < jobs) task[job] = floatBitsToUint(weights[job * THREADS + gl_LocalInvocationIndex]);
}

uint n_tasks() { return overlapping ? push.n_bands : (push.n_bands + 1) / 2 * push.parts; }

uint job_entry(const uint job) { return push.steps[job * WARPS + gl_LocalInvocationIndex / warp]; }
uint first_frame_of(uint entry) { return ((entry >> job_group_shift) & 7) * job_frames; }

// A task sums a run of bins twice, with two weights each. If bands overlap, task i has the bins
// between the centres of bands i and i + 1, which feed both. Otherwise it has a part of the bins of
// two bands. A job is 32 tasks for job_frames of the frames.
void weigh_job(const uint job) {
  const uint entry = job_entry(job);
  const uint count = entry & ((1u << job_group_shift) - 1);
  uint place = first_frame_of(entry) * frame_stride + (task[job] & task_idle);
  uint weight = (jobs * THREADS + push.n_bands + table_align - 1) / table_align * (table_align / 2) +
                (entry >> job_weights_shift) * warp + (gl_LocalInvocationIndex & (warp - 1));
  float lows[FRAMES], highs[FRAMES];
  [[unroll]] for (uint f = 0; f < FRAMES; ++f) lows[f] = highs[f] = 0.0;
  // unrolled, so that several loads are under way at a time
  for (uint i = 0; i < count; i += STEPS) {
    vec2 w[STEPS];
    [[unroll]] for (uint s = 0; s < STEPS; ++s) w[s] = weight_pairs[weight + warp * s];
    [[unroll]] for (uint s = 0; s < STEPS; ++s)
      [[unroll]] for (uint f = 0; f < FRAMES; ++f)
        if (f < job_frames) {
          const float power = exchange[place + s + f * frame_stride];
          lows[f] = fma(w[s].x, power, lows[f]);
          highs[f] = fma(w[s].y, power, highs[f]);
        }
    place += STEPS;
    weight += warp * STEPS;
  }
  [[unroll]] for (uint f = 0; f < FRAMES; ++f) {
    low[job * FRAMES + f] = lows[f];
    high[job * FRAMES + f] = highs[f];
  }
}

// After a barrier the sums take the powers' places: first those of `low`, then those of `high`; the
// last bin keeps its place behind them.
void weigh_bins() {
  [[unroll]] for (uint job = 0; job < MAX_JOBS; ++job)
    if (job < jobs) weigh_job(job);
  barrier();
  [[unroll]] for (uint job = 0; job < MAX_JOBS; ++job)
    if (job < jobs && task[job] >> task_number_shift != task_idle) {
      const uint place = first_frame_of(job_entry(job)) * frame_stride + (task[job] >> task_number_shift);
      [[unroll]] for (uint f = 0; f < FRAMES; ++f)
        if (f < job_frames) {
          exchange[place + f * frame_stride] = low[job * FRAMES + f];
          exchange[place + f * frame_stride + n_tasks()] = high[job * FRAMES + f];
        }
    }
}

float band_of(uint band, uint frame) {
  const uint base = frame * frame_stride;
  float sum;
  if (overlapping) {
    sum = exchange[base + band];
    if (band > 0) sum += exchange[base + push.n_bands + band - 1];
  } else {
    const uint first = base + (band & 1) * n_tasks() + band / 2 * push.parts;
    sum = 0.0;
    for (uint part = 0; part < push.parts; ++part) sum += exchange[first + part];
  }
  if (nyquist)
    sum = fma(weights[jobs * THREADS + band], exchange[base + 2 * n_tasks()], sum);
  return sum;
}
