// Structure: recurrence, segments, paths in similarity matrices.
#pragma once

#include "ops/op_list.hpp"
#include "ops/segment/agglomerate.hpp"
#include "ops/segment/filter_lines.hpp"
#include "ops/segment/link_means.hpp"
#include "ops/segment/links.hpp"

namespace metalmom::ops {

using SegmentOps = OpList<Links, MutualLinks, LinkMeans, Agglomerate, FilterLines>;

}  // namespace metalmom::ops
