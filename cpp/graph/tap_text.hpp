// What a node of a graph reads, in words.
#pragma once

#include <string>
#include <vector>

#include "ops/core/pipeline.hpp"

namespace metalmom::graph {

// From the transform's power to the value that is read; none if it reads samples.
std::vector<std::string> values_of(const ops::Tap& tap);

}  // namespace metalmom::graph
