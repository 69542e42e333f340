// Segments of a sequence by Ward's minimum variance (Ward 1963, "Hierarchical grouping to optimize
// an objective function"): neighbours merge whose union adds least to the variance inside segments.
#pragma once

#include "dsp/distances.hpp"

namespace metalmom::dsp {

// Merges single frames until `n_segments` are left, and writes where each begins. Of equally good
// merges the one of the older segments comes first.
void agglomerate(const Frames& frames, Index n_segments, Index* starts);

}  // namespace metalmom::dsp
