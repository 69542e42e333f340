// What a node of a graph reads, in words.
#pragma once

#include <string>

#include "ops/core/pipeline.hpp"

namespace metalmom::graph {

std::string text_of(const ops::Tap& tap);

}  // namespace metalmom::graph
