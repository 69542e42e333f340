// What the Khronos validation layer has to say, when METALMOM_VULKAN_VALIDATION=1 asks for it.
#pragma once

#include <string>
#include <vector>

namespace metalmom::gpu {

bool validation_wanted();
// True once an instance runs with the layer.
bool validation_active();
// Warnings and errors since the last call, in order.
std::vector<std::string> take_validation_messages();

}  // namespace metalmom::gpu
