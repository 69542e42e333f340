// SPIR-V in fewer bytes, as cmake/pack_shader.py writes it. A number is seven bits a byte, the
// lowest first, and a byte with the eighth bit set has a next one. First the five words of the
// module's header. Then for each instruction its opcode, the count of its operands, and the
// operands: the first one (a type) as it is; the second one (the result) from the result before it;
// the others from the result. The instructions without a type and a result have all operands
// counted from the newest result. A difference `newest - word` has its sign in the lowest bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace metalmom::gpu {

std::vector<std::uint32_t> unpack_spirv(std::span<const std::uint8_t> packed);

}  // namespace metalmom::gpu
