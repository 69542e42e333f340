// Complex FFT in registers. A frame of N_FFT samples is N_FFT / 2 complex points, its even and odd
// samples (two frames in one transform would let a loud frame leak into its neighbour); split.glsl
// makes the real frame's spectrum of the result. Lane t of a frame holds z[t + LANES * j] in
// register j before the first pass; between passes (Stockham order) the points cross the frame's
// FRAME_FLOATS floats of `exchange`, which the includer declares, real parts first, then imaginary
// parts. These are N_FFT / 2, or what the includer says if they have room for rows that are PITCH apart.

// A pass of radix R = Q 2^m (Q is 1, 3 or 5) is a stage of radix Q, then m stages of radix 2.
//
// Tables, made in double on the host: HALF pairs of window samples (already halved, see
// split_real), -i times the split twiddles of the first LANES bins, then for each later pass the
// twiddles of its stages. All other twiddles are these, turned by constants: shared and global
// loads are what the kernels wait for, not arithmetic.
layout(set = 0, binding = 1, std430) readonly buffer Tables { vec2 tables[]; };
#define SPLIT_TABLE HALF
#define PASS_B_TABLE (HALF + LANES)
#define PASS_C_TABLE (PASS_B_TABLE + (ODD(RADIX_B) - 1 + STAGES(RADIX_B)) * RADIX_A)

#define RADIX_A transform.radix_a
#define RADIX_B transform.radix_b
#define RADIX_C transform.radix_c
#define TWOS(radix) ((radix) & (~(radix) + 1))
#define ODD(radix) ((radix) / TWOS(radix))
// of radix 2
#define STAGES(radix)                                                                   \
  (uint(TWOS(radix) > 1) + uint(TWOS(radix) > 2) + uint(TWOS(radix) > 4) + uint(TWOS(radix) > 8) + \
   uint(TWOS(radix) > 16))
#define IS_POWER_OF_TWO (ODD(HALF) == 1)
// Constant twiddles are multiples of so many parts of half a turn.
#define HALF_TURN (IS_POWER_OF_TWO ? 32 : 60)

#ifndef FRAME_FLOATS
#define FRAME_FLOATS HALF
#define PITCH LANES
#endif

vec2 z[POINTS];
uint lane;         // of this thread in its frame
uint frame_slot;   // of this frame in the group
uint frame_base;   // of this frame's floats in `exchange`
uint bank_shift;   // keeps the frames of one warp on different banks

// Where LANES is less than a warp of 32, the frames of a power of two get addresses that differ in bits
// which neither the puts nor the gets of exchange_points vary over a frame's lanes.
void place_thread() {
  lane = gl_LocalInvocationIndex % LANES;
  frame_slot = gl_LocalInvocationIndex / LANES;
  frame_base = frame_slot * (IS_POWER_OF_TWO ? HALF : FRAME_FLOATS);
  bank_shift = !IS_POWER_OF_TWO ? 0
               : LANES == 16    ? (frame_slot & 1) * 24
               : LANES == 8     ? ((frame_slot & 1) * 8) ^ ((frame_slot & 2) * 10)
                                : 0;
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

// exp(i pi steps / HALF_TURN) for a constant number of steps below HALF_TURN.
#define COSINE(steps) cos((steps) * 3.14159265358979324 / HALF_TURN)
#define COSINES(tens)                                                                          \
  COSINE(tens), COSINE(tens + 1), COSINE(tens + 2), COSINE(tens + 3), COSINE(tens + 4),        \
      COSINE(tens + 5), COSINE(tens + 6), COSINE(tens + 7), COSINE(tens + 8), COSINE(tens + 9)
vec2 root(const uint steps) {
  const float cosine[60] = float[](COSINES(0), COSINES(10), COSINES(20), COSINES(30), COSINES(40),
                                   COSINES(50));
  return vec2(cosine[steps], cosine[abs(int(steps) - HALF_TURN / 2)]);
}

// w exp(-i pi steps / HALF_TURN) for a constant number of steps below HALF_TURN.
vec2 turned(vec2 w, const uint steps) {
  const vec2 by = root(steps);
  if (steps == HALF_TURN / 2)
    w = vec2(w.y, -w.x);
  else if (steps > 0)
    w = vec2(fma(w.x, by.x, w.y * by.y), fma(w.y, by.x, -w.x * by.y));
  return w;
}

// Decimation in time without moving data: which input of a pass is at a position of the stages'
// results. Output r of a pass is found in register input_at(r).
uint input_at(uint position, const uint radix) {
  const uint odd = ODD(radix), stages = STAGES(radix), pair = position / odd;
  const uint low = stages == 0 ? 0 : bitfieldReverse(pair) >> (32 - stages);
  return low | ((position % odd) << stages);
}

// Columns of a pass after passes of product `length`, which is 1 for the first one: butterfly
// b = lane + i * LANES, whose inputs are in registers i + j * count, is of column b % length.
uint column_of(const uint i, const uint length) { return (lane + i * LANES) % length; }

// The stage of radix Q = 3 or 5 of a pass, by its definition: inputs q and Q - q share their products,
// since outputs k and Q - k need the same ones. With w the twiddle of the column in the pass, it multiplies input q by
// w^(q radix / Q).
void odd_stage(const uint radix, const uint length, const uint table) {
  const uint odd = ODD(radix), count = POINTS / radix, apart = POINTS / odd;
  [[unroll]] for (uint v = 0; v < apart; ++v) {
    if (length > 1)
      [[unroll]] for (uint q = 1; q < odd; ++q) {
        const vec2 w = tables[table + (q - 1) * length + column_of(v % count, length)];
        const vec2 x = z[v + q * apart];
        z[v + q * apart] = vec2(fma(w.x, x.x, -w.y * x.y), fma(w.x, x.y, w.y * x.x));
      }
    const vec2 first = z[v];
    vec2 sum[3], difference[3];
    [[unroll]] for (uint p = 1; p <= odd / 2; ++p) {
      sum[p] = z[v + p * apart] + z[v + (odd - p) * apart];
      difference[p] = z[v + p * apart] - z[v + (odd - p) * apart];
      z[v] += sum[p];
    }
    [[unroll]] for (uint k = 1; k <= odd / 2; ++k) {
      vec2 even = first, turn = vec2(0.0);
      [[unroll]] for (uint p = 1; p <= odd / 2; ++p) {
        const uint turns = k * p % odd;
        const vec2 by = root(min(turns, odd - turns) * (2 * HALF_TURN / odd));
        even = fma(vec2(by.x), sum[p], even);
        turn = fma(vec2(turns > odd / 2 ? -by.y : by.y), difference[p], turn);
      }
      z[v + k * apart] = even + vec2(turn.y, -turn.x);
      z[v + (odd - k) * apart] = even - vec2(turn.y, -turn.x);
    }
  }
}

// Stage `s` of radix 2 of a pass, with constant twiddles exp(-i pi k / (Q 2^s)). In later passes the
// twiddles of the pass's inputs are part of its own: it multiplies by w^(radix / (Q 2^(s+1))), too.
void stage(const uint s, const uint radix, const uint length, const uint table) {
  const uint count = POINTS / radix;
  [[unroll]] for (uint v = 0; v < POINTS / 2; ++v) {
    const uint i = v % count, u = v / count;
    const uint half_size = ODD(radix) << s;
    const uint k = u % half_size;
    const uint low = k + u / half_size * (2 * half_size);
    const uint a = i + count * input_at(low, radix);
    const uint b = i + count * input_at(low + half_size, radix);
    const uint steps = k * HALF_TURN / half_size;
    if (length > 1)
      butterfly(a, b, turned(tables[table + s * length + column_of(i, length)], steps));
    else if (steps == 0)
      butterfly_one(a, b);
    else if (steps == HALF_TURN / 2)
      butterfly_minus_i(a, b);
    else
      butterfly(a, b, turned(vec2(1.0, 0.0), steps));
  }
}

void make_pass(const uint radix, const uint length, const uint table) {
  if (ODD(radix) > 1) odd_stage(radix, length, table);
  [[unroll]] for (uint s = 0; s < STAGES(radix); ++s)
    stage(s, radix, length, table + (ODD(radix) - 1) * length);
}

// The place of a float in shared memory, such that rows of 32 floats are spread over the banks. It
// is linear over xor: an address is one xor of the thread's part and a constant. Frames of other
// sizes than powers of two lie as they are, or in rows that are PITCH apart.
uint bank_order(uint index) { return index ^ ((index >> 5) & 31); }
uint in_rows(uint index) { return PITCH == LANES ? index : index / LANES * PITCH + index % LANES; }
uint address(uint own, const uint constant) {
  return IS_POWER_OF_TWO ? frame_base ^ bank_shift ^ bank_order(own) ^ bank_order(constant)
                         : frame_base + in_rows(own) + in_rows(constant);
}

// Between passes: register input_at(r) of butterfly b = lane + i * LANES holds output r, which
// belongs at (b / L) L R + b % L + r L. L divides LANES, or both are powers of two, so that the
// lane's part and the constant part of b add up; so do their rows where R is LANES.
void exchange_points(const uint radix, const uint length) {
  const uint count = POINTS / radix;
  [[unroll]] for (uint part = 0; part < 2; ++part) {
    [[unroll]] for (uint v = 0; v < POINTS; ++v) {
      const uint i = v % count, r = v / count;
      const uint own = lane / length * (length * radix) + lane % length;
      const uint constant = i * LANES / length * (length * radix) + i * LANES % length + r * length;
      exchange[address(own, constant)] = z[i + count * input_at(r, radix)][part];
    }
    barrier();
    [[unroll]] for (uint j = 0; j < POINTS; ++j) z[j][part] = exchange[address(lane, j * LANES)];
    barrier();
  }
}

// The register that holds element lane + LANES * j after the last pass.
uint register_of(uint j) {
  const uint radix = RADIX_C > 1 ? RADIX_C : RADIX_B, count = POINTS / radix;
  return j % count + count * input_at(j / count, radix);
}

// z[j] = element lane + LANES * j of a frame becomes its transform, in register_of(j).
void transform_points() {
  make_pass(RADIX_A, 1, 0);
  exchange_points(RADIX_A, 1);
  make_pass(RADIX_B, RADIX_A, PASS_B_TABLE);
  if (RADIX_C == 1) return;
  exchange_points(RADIX_B, RADIX_A);
  make_pass(RADIX_C, RADIX_A * RADIX_B, PASS_C_TABLE);
}
