// Complex FFT in registers. A frame of N_FFT samples is N_FFT / 2 complex points, its even and odd
// samples (two frames in one transform would let a loud frame leak into its neighbour); split.glsl
// makes the real frame's spectrum of the result. Lane t of a frame holds z[t + LANES * j] in
// register j before the first pass; between passes (Stockham order) the points cross the frame's
// N_FFT / 2 floats of `exchange`, which the includer declares, real parts first, then imaginary
// parts.

// Tables, made in double on the host: HALF pairs of window samples (already halved, see
// split_real), -i times the split twiddles of the first LANES bins, then for each later pass the
// twiddles of its stages. All other twiddles are these, turned by constants: shared and global
// loads are what the kernels wait for, not arithmetic.
layout(set = 0, binding = 1, std430) readonly buffer Tables { vec2 tables[]; };
#define SPLIT_TABLE HALF
#define PASS_B_TABLE (HALF + LANES)
#define PASS_C_TABLE (PASS_B_TABLE + (LOG_RADIX_B << LOG_RADIX_A))

vec2 z[POINTS];
uint lane;         // of this thread in its frame
uint frame_slot;   // of this frame in the group
uint frame_base;   // of this frame's floats in `exchange`
uint bank_shift;   // keeps the frames of one warp on different banks

// Where LANES is less than a warp of 32, its frames get addresses that differ in bits which neither
// the puts nor the gets of exchange_points vary over a frame's lanes.
void place_thread() {
  lane = gl_LocalInvocationIndex & (LANES - 1);
  frame_slot = gl_LocalInvocationIndex / LANES;
  frame_base = frame_slot * HALF;
  bank_shift = LANES == 16  ? (frame_slot & 1) * 24
               : LANES == 8 ? ((frame_slot & 1) * 8) ^ ((frame_slot & 2) * 10)
                            : 0;
}

uint reversed(uint value, const uint bits) {
  return bits == 0 ? 0 : bitfieldReverse(value) >> (32 - bits);
}

// (a, b) becomes (a + w b, a - w b) in six fused operations.
void butterfly(const uint a, const uint b, vec2 w) {
  const vec2 sum = vec2(fma(-w.y, z[b].y, fma(w.x, z[b].x, z[a].x)),
                        fma(w.y, z[b].x, fma(w.x, z[b].y, z[a].y)));
  z[b] = fma(vec2(2.0), z[a], -sum);
  z[a] = sum;
}

// The same for the twiddles that cost no multiplication.
void butterfly_one(const uint a, const uint b) {
  const vec2 sum = z[a] + z[b];
  z[b] = z[a] - z[b];
  z[a] = sum;
}

void butterfly_minus_i(const uint a, const uint b) {
  const vec2 turned = vec2(z[b].y, -z[b].x);
  z[b] = z[a] - turned;
  z[a] += turned;
}

// w exp(-i pi steps / 32) for a constant number of steps below 32.
vec2 turned(vec2 w, const uint steps) {
  const float cosine[32] = float[](
      1.0, 0.99518472667219693, 0.98078528040323043, 0.95694033573220882, 0.92387953251128674,
      0.88192126434835505, 0.83146961230254524, 0.77301045336273699, 0.70710678118654757,
      0.63439328416364549, 0.55557023301960229, 0.47139673682599781, 0.38268343236508984,
      0.29028467725446233, 0.19509032201612833, 0.09801714032956077, 0.0, -0.098017140329560645,
      -0.19509032201612819, -0.29028467725446216, -0.38268343236508973, -0.4713967368259977,
      -0.55557023301960196, -0.63439328416364538, -0.70710678118654746, -0.77301045336273699,
      -0.83146961230254535, -0.88192126434835494, -0.92387953251128674, -0.95694033573220882,
      -0.98078528040323043, -0.99518472667219682);
  const float c = cosine[steps], s = cosine[abs(int(steps) - 16)];
  if (steps == 16)
    w = vec2(w.y, -w.x);
  else if (steps > 0)
    w = vec2(fma(w.x, c, w.y * s), fma(w.y, c, -w.x * s));
  return w;
}

// Stage `s` of the first pass's radix-POINTS transforms: constant twiddles exp(-i pi k / 2^s).
// Decimation in time without moving data: logical position p lives in register reversed(p), so
// output r of a pass is found in register reversed(r).
void first_stage(const uint s) {
  [[unroll]] for (uint u = 0; u < POINTS / 2; ++u) {
    const uint half_size = 1u << s;
    const uint k = u & (half_size - 1);
    const uint low = k | ((u >> s) << (s + 1));
    const uint a = reversed(low, LOG_RADIX_A), b = reversed(low | half_size, LOG_RADIX_A);
    const uint steps = (k << 5) >> s;
    if (steps == 0) {
      butterfly_one(a, b);
    } else if (steps == 16) {
      butterfly_minus_i(a, b);
    } else {
      butterfly(a, b, turned(vec2(1.0, 0.0), steps));
    }
  }
}

// Stage `s` of a later pass. The twiddles of the pass's inputs are part of its own: with w the
// twiddle of the butterfly's column in the pass, stage s multiplies by w^(radix / 2^(s+1)) exp(-i
// pi k / 2^s).
void later_stage(const uint s, const uint log_radix, const uint log_length, const uint table) {
  const uint count = POINTS >> log_radix;
  [[unroll]] for (uint v = 0; v < POINTS / 2; ++v) {
    const uint i = v & (count - 1), u = v / count;
    const uint half_size = 1u << s;
    const uint k = u & (half_size - 1);
    const uint low = k | ((u >> s) << (s + 1));
    const uint a = i + count * reversed(low, log_radix);
    const uint b = i + count * reversed(low | half_size, log_radix);
    const uint column = (lane + i * LANES) & ((1u << log_length) - 1);
    butterfly(a, b, turned(tables[table + (s << log_length) + column], (k << 5) >> s));
  }
}

// The place of a float in shared memory, such that rows of 32 floats are spread over the banks. It
// is linear over xor: an address is one xor of the thread's part and a constant.
uint bank_order(uint index) { return index ^ ((index >> 5) & 31); }

// Between passes: register reversed(r) of butterfly b = lane + i * LANES holds output r, which
// belongs at (b / L) L R + b % L + r L.
void exchange_points(const uint log_radix, const uint log_length) {
  const uint count = POINTS >> log_radix;
  const uint low = (1u << log_length) - 1;
  const uint put_base =
      frame_base ^ bank_shift ^ bank_order(((lane & ~low) << log_radix) | (lane & low));
  const uint get_base = frame_base ^ bank_shift ^ bank_order(lane);
  [[unroll]] for (uint part = 0; part < 2; ++part) {
    [[unroll]] for (uint v = 0; v < POINTS; ++v) {
      const uint i = v & (count - 1), r = v / count;
      const uint b = i * LANES;
      const uint index = ((b & ~low) << log_radix) | (b & low) | (r << log_length);
      exchange[put_base ^ bank_order(index)] = z[i + count * reversed(r, log_radix)][part];
    }
    barrier();
    [[unroll]] for (uint j = 0; j < POINTS; ++j)
      z[j][part] = exchange[get_base ^ bank_order(j * LANES)];
    barrier();
  }
}

// The register that holds element lane + LANES * j after the last pass.
uint register_of(uint j) {
  const uint log_radix = LOG_RADIX_C > 0 ? LOG_RADIX_C : LOG_RADIX_B;
  const uint count = POINTS >> log_radix;
  return (j & (count - 1)) + count * reversed(j / count, log_radix);
}

// z[j] = element lane + LANES * j of a frame becomes its transform, in register_of(j).
void transform_points() {
  [[unroll]] for (uint s = 0; s < LOG_RADIX_A; ++s) first_stage(s);
  exchange_points(LOG_RADIX_A, 0);
  [[unroll]] for (uint s = 0; s < LOG_RADIX_B; ++s)
    later_stage(s, LOG_RADIX_B, LOG_RADIX_A, PASS_B_TABLE);
  if (LOG_RADIX_C == 0) return;
  exchange_points(LOG_RADIX_B, LOG_RADIX_A);
  [[unroll]] for (uint s = 0; s < LOG_RADIX_C; ++s)
    later_stage(s, LOG_RADIX_C, LOG_RADIX_A + LOG_RADIX_B, PASS_C_TABLE);
}
