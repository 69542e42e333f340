// A product of two matrices, a group's part of it: ROWS weights of each sample by COLUMNS frames of
// samples. DEPTH samples of each frame at a time pass through shared memory with their weights, and a
// thread has the sums of four rows and four frames. A frame's samples are added in order, whatever the
// device.
#define QUADS (COLUMNS / 4)
#define FOURS (ROWS / 4)
#define STRIDE (QUADS + 1)  // vectors: samples next to each other lie four banks apart

shared vec4 samples[DEPTH * STRIDE];
shared vec4 rows[DEPTH * FOURS];
vec4 sum[4];

// Of number i of those that a group loads: its place among DEPTH samples, and its frame. Eight samples
// of one frame lie beside each other in memory, those of four frames in different banks.
uint sample_of(uint i) { return i % 8 + i / (8 * COLUMNS) * 8; }
uint column_of(uint i) { return i / 8 % COLUMNS; }

void put_sample(uint i, float value) {
  samples[sample_of(i) * STRIDE + column_of(i) / 4][column_of(i) % 4] = value;
}

void clear_sums() {
  [[unroll]] for (uint r = 0; r < 4; ++r) sum[r] = vec4(0.0);
}

// Adds what was put and loaded, for four frames and four rows.
void add_products(uint quad, uint four) {
  barrier();
  [[unroll]] for (uint k = 0; k < DEPTH; ++k) {
    const vec4 x = samples[k * STRIDE + quad], w = rows[k * FOURS + four];
    [[unroll]] for (uint r = 0; r < 4; ++r) sum[r] = fma(vec4(w[r]), x, sum[r]);
  }
  barrier();
}
