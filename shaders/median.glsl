// The median of up to 31 values, by a sorting network in registers (Batcher 1968).
//
// A network compares the same places whatever the values are: no branches, so all threads of a warp
// run in step. Only one output is used, and the compiler drops all comparators that do not lead to
// it. There are 32 slots; those beyond the window's size hold the smallest and the largest floats,
// as many of each as keep the wanted rank in the middle.
#include "constants.h"
#define NETWORK median_network
#define MIDDLE (NETWORK / 2 - 1)
float sorted[NETWORK];

void order(const uint a, const uint b) {
  const float smaller = min(sorted[a], sorted[b]);
  sorted[b] = max(sorted[a], sorted[b]);
  sorted[a] = smaller;
}

// One column of comparators of Batcher's odd-even merge sort: at distance k, while sorted runs of p
// values are merged.
void merge_column(const uint p, const uint k) {
  [[unroll]] for (uint i = 0; i < NETWORK; ++i) {
    const bool first = k == p ? (i & k) == 0 : (i & k) != 0 && i / (2 * p) == (i + k) / (2 * p);
    if (first && i + k < NETWORK) order(i, i + k);
  }
}

float middle_value() {
  merge_column(1, 1);
  merge_column(2, 2); merge_column(2, 1);
  merge_column(4, 4); merge_column(4, 2); merge_column(4, 1);
  merge_column(8, 8); merge_column(8, 4); merge_column(8, 2); merge_column(8, 1);
  merge_column(16, 16); merge_column(16, 8); merge_column(16, 4); merge_column(16, 2);
  merge_column(16, 1);
  return sorted[MIDDLE];
}

// The value of slot `slot` beyond the `size` values of a window, such that the value of rank size /
// 2 comes to the middle slot.
float filler(uint slot, uint size) {
  return slot - size < MIDDLE - size / 2 ? -3.4e38 : 3.4e38;
}
