#include "io/mix.hpp"

namespace metalmom::io {

namespace {

// NumPy's pairwise summation of a contiguous run: below 8 one after the other, up to 128 in eight
// running sums, above that in halves.
template <class T>
T pairwise_sum(const T* values, int count) {
  if (count < 8) {
    T sum = 0;
    for (int i = 0; i < count; ++i) sum += values[i];
    return sum;
  }
  if (count <= 128) {
    T sums[8];
    for (int k = 0; k < 8; ++k) sums[k] = values[k];
    int i = 8;
    for (; i < count - count % 8; i += 8)
      for (int k = 0; k < 8; ++k) sums[k] += values[i + k];
    T sum =
        ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
    for (; i < count; ++i) sum += values[i];
    return sum;
  }
  const int half = count / 2 - count / 2 % 8;
  return pairwise_sum(values, half) + pairwise_sum(values + half, count - half);
}

}  // namespace

template <class T>
void mix_to_mono(const T* frames, Index count, int channels, T* mono) {
  if (channels == 2) {
    // Times 0.5 is the same as divided by 2: halving is exact. "0 +" turns -0 into 0, as NumPy's
    // sum does.
    for (Index i = 0; i < count; ++i) mono[i] = T(0) + (frames[2 * i] + frames[2 * i + 1]) * T(0.5);
    return;
  }
  for (Index i = 0; i < count; ++i)
    mono[i] = T(0) + pairwise_sum(frames + i * channels, channels) / static_cast<T>(channels);
}

template <class T>
void split_channels(const T* frames, Index count, int channels, T* rows, Index stride) {
  for (int c = 0; c < channels; ++c)
    for (Index i = 0; i < count; ++i) rows[c * stride + i] = frames[i * channels + c];
}

template void mix_to_mono(const float*, Index, int, float*);
template void mix_to_mono(const double*, Index, int, double*);
template void split_channels(const float*, Index, int, float*, Index);
template void split_channels(const double*, Index, int, double*, Index);

}  // namespace metalmom::io
