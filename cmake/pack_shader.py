"""Write a shader's SPIR-V in fewer bytes, as numbers of a C++ array.

    pack_shader.py WORDS BYTES

WORDS has the words of a module as glslc -mfmt=num writes them. BYTES gets what cpp/gpu/vk/packed_spirv.hpp describes and
unpacks: less than half of the bytes, which also deflate to two thirds, because loops are unrolled and their passes
then differ in nothing but the ids, which are counted from that of the result.
"""

import sys
from pathlib import Path

from shader_interface import instructions

# Their first two operands are no type and no result: OpStore, and control flow. Others that have neither are so few that
# their bytes make no difference.
NO_RESULT = {62, *range(246, 255)}


def pack(words):
    packed = bytearray()

    def put(number):
        while number > 127:
            packed.append(number & 127 | 128)
            number >>= 7
        packed.append(number)

    def put_from(newest, word):
        ahead = (newest - word) & 0xFFFFFFFF
        put((ahead << 1 & 0xFFFFFFFF) ^ (0xFFFFFFFF if ahead >> 31 else 0))  # -1, 1, -2 ... as 1, 2, 3 ...

    for word in words[:5]:
        put(word)
    newest = 0
    for opcode, operands in instructions(words):
        typed = bool(operands) and opcode not in NO_RESULT
        put(opcode)
        put(len(operands) << 1 | typed)
        for place, word in enumerate(operands):
            if typed and place == 0:
                put(word)
                continue
            put_from(newest, word)
            if typed and place == 1:
                newest = word
    return packed


if __name__ == "__main__":
    words, out = map(Path, sys.argv[1:])
    packed = pack([int(word, 0) for word in words.read_text().split(",")])
    out.write_text(",".join(map(str, packed)) + "\n")
