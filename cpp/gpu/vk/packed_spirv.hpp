// SPIR-V in fewer bytes, as cmake/pack_shader.py writes it. A number is seven bits a byte, the
// lowest first, and a byte with the eighth bit set has a next one. First the five words of the
// module's header. Then for each instruction its opcode, twice the count of its operands, and the
// operands. Where that number is odd, the first operand, a type, stands as it is, and the second
// one is the newest result from there on. All others, and that one itself, are counted from the
// newest result: a difference `newest - word` has its sign in the lowest bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace metalmom::gpu {

std::vector<std::uint32_t> unpack_spirv(std::span<const std::uint8_t> packed);

}  // namespace metalmom::gpu
