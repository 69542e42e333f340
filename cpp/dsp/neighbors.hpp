// Nearest neighbours of frames, row by row of a recurrence matrix.
//
// Distances are measured in blocks and only the best are kept, so that memory does not grow with
// the square of the number of frames. Of equally distant frames the earlier is nearer.
#pragma once

#include <cstdint>

#include "dsp/distances.hpp"

namespace metalmom::dsp {

struct LinkRule {
  Index n_neighbors = 1;  // how many neighbours are considered, the frame itself not counted
  Index keep = 1;         // how many of those become links
  Index width = 0;        // links i - j with |i - j| < width are dropped
  // of these the nearest are kept, and equal frames are no links; if not, the earliest are kept
  bool nearest = false;
  bool same = true;         // the frames are compared with themselves
  bool self_links = false;  // each frame has a link to itself, of distance 0
};

// The most links that a row can have.
Index most_links(const LinkRule& rule, Index n_others);

// Links of frame i, given its distances from all others: indices in ascending order, and their
// distances if asked for. Returns how many there are.
Index links_of(const LinkRule& rule, Index i, const double* distances, Index n_others,
               std::int32_t* indices, double* lengths);

// Links of `frames` to one another. In the whole matrix these are the frames first, first + 1 ...;
// each row of the result has room for most_links. `lengths` may be null.
void find_links(const LinkRule& rule, Metric metric, const Frames& frames, Index first,
                const PackedFrames& others, std::int32_t* indices, double* lengths, Index* counts);

}  // namespace metalmom::dsp
