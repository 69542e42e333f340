// From interleaved frames, as decoders deliver them, to one channel or to rows of channels.
#pragma once

#include "base/view.hpp"

namespace metalmom::io {

// The mean over channels with the additions in NumPy's order (pairwise above eight channels), so
// that the result has the very bits of numpy.mean over the channel axis of a decoded file.
template <class T>
void mix_to_mono(const T* frames, Index count, int channels, T* mono);

// Row c of `rows` (its start `stride` after the one before) receives channel c.
template <class T>
void split_channels(const T* frames, Index count, int channels, T* rows, Index stride);

}  // namespace metalmom::io
