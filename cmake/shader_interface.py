"""Write a shader's interface, as its SPIR-V declares it, as a C++ type.

    shader_interface.py NAME SPIRV HEADER [--sized]

The module must be one that the compiler has not optimized, so that it has all names. The type has a buffer for each
binding with the access that the shader has, a constant for each specialisation constant, and the struct of push
constants. Where two blocks share a binding, the shorter name is the buffer's.
"""

import argparse
import struct
from pathlib import Path

NAME, MEMBER_NAME = 5, 6
TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_STRUCT, TYPE_POINTER = 20, 21, 22, 30, 32
SPEC_CONSTANT_TRUE, SPEC_CONSTANT_FALSE, SPEC_CONSTANT, VARIABLE = 48, 49, 50, 59
DECORATE, MEMBER_DECORATE = 71, 72
SPEC_ID, NON_WRITABLE, NON_READABLE, BINDING, DESCRIPTOR_SET = 1, 24, 25, 33, 34
PUSH_CONSTANT, STORAGE_BUFFER = 9, 12

# By whether the shader reads, and whether it writes.
ACCESS = {(True, False): "Read", (False, True): "Write", (True, True): "Update"}


def instructions(words):
    """The opcodes of a module and their operands, after its header of five words."""
    at = 5
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        yield opcode, words[at + 1 : at + count]
        at += count


def text(words):
    return struct.pack(f"<{len(words)}I", *words).partition(b"\0")[0].decode()


class Module:
    """What a module says of its types, names and decorations, by their ids."""

    def __init__(self, spirv):
        self.names, self.member_names, self.decorations, self.types = {}, {}, {}, {}
        self.constants, self.variables = {}, []
        for opcode, operands in instructions(struct.unpack(f"<{len(spirv) // 4}I", spirv)):
            if opcode == NAME:
                self.names[operands[0]] = text(operands[1:])
            elif opcode == MEMBER_NAME:
                self.member_names[operands[:2]] = text(operands[2:])
            elif opcode == DECORATE:
                self.decorations[operands[:2]] = operands[2:]
            elif opcode == MEMBER_DECORATE:
                self.decorations[operands[:3]] = operands[3:]
            elif opcode in (TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_STRUCT, TYPE_POINTER):
                self.types[operands[0]] = opcode, operands[1:]
            elif opcode in (SPEC_CONSTANT_TRUE, SPEC_CONSTANT_FALSE, SPEC_CONSTANT):
                self.constants[operands[1]] = operands[0]
            elif opcode == VARIABLE:
                self.variables.append(operands[:3])

    def blocks(self, storage_class):
        """Variables of a storage class and the structs they point to."""
        for pointer, variable, its_class in self.variables:
            if its_class == storage_class:
                yield variable, self.types[pointer][1][1]

    def cpp_type(self, type_id):
        opcode, operands = self.types[type_id]
        if opcode == TYPE_STRUCT:
            return self.names[type_id]
        if opcode in (TYPE_INT, TYPE_FLOAT) and operands[0] != 32:
            raise SystemExit("a constant must have 32 bits")
        return {TYPE_BOOL: "bool", TYPE_FLOAT: "float"}.get(opcode) or ("int" if operands[1] else "uint")

    def buffers(self):
        """(binding, name, access) of each binding."""
        found = {}
        for variable, block in self.blocks(STORAGE_BUFFER):
            if self.decorations.get((variable, DESCRIPTOR_SET)) != (0,) or len(self.types[block][1]) != 1:
                raise SystemExit(f"{self.names[block]}: a buffer must be of set 0 and have one member")
            (binding,) = self.decorations[variable, BINDING]
            own = self.member_names[block, 0]
            name, reads, writes = found.get(binding, (own, False, False))
            found[binding] = (
                min(name, own, key=len),
                reads or (block, 0, NON_READABLE) not in self.decorations,
                writes or (block, 0, NON_WRITABLE) not in self.decorations,
            )
        return [(binding, name, ACCESS[reads, writes]) for binding, (name, reads, writes) in sorted(found.items())]

    def specialised(self):
        """(number, name, type) of each specialisation constant."""
        return sorted(
            (self.decorations[constant, SPEC_ID][0], self.names[constant], self.cpp_type(type_id))
            for constant, type_id in self.constants.items()
        )

    def push(self):
        members = [self.types[block][1] for _, block in self.blocks(PUSH_CONSTANT)]
        if len(members) != 1 or len(members[0]) != 1 or self.types.get(members[0][0], (None,))[0] != TYPE_STRUCT:
            raise SystemExit("push constants must be one struct of shaders/push/")
        return self.names[members[0][0]]


def declared(kind, fields, made_of, call):
    """A struct of the fields and the array that a session takes of it."""
    lines = [f"  struct {kind} {{"]
    lines += [f"    {of} {name};" for _, name, of in fields]
    listed = ", ".join(f"{name}{call}" for _, name, _ in fields)
    lines.append(f"    std::array<{made_of}, {len(fields)}> all() const {{ return {{{listed}}}; }}")
    return [*lines, "  };"]


def header(name, module, is_sized):
    buffers, constants = module.buffers(), [(i, n, f"Constant<{of}>") for i, n, of in module.specialised()]
    for fields in (buffers, constants):
        if [each[0] for each in fields] != list(range(len(fields))):
            raise SystemExit(f"{name}: bindings and constants must be 0, 1, 2 ...: {fields}")
    title = "".join(word.capitalize() for word in name.split("_"))
    lines = [
        f"// The interface of shaders/{name}.comp, as cmake/shader_interface.py read it from its SPIR-V.",
        "#pragma once",
        "",
        '#include "gpu/record/shader_interface.hpp"',
        "",
        "namespace metalmom::gpu::shader {",
        "",
        f"struct {title} {{",
        f'  static constexpr std::string_view name = "{name}";',
        f"  using Push = {module.push()};",
        *declared("Buffers", buffers, "Binding", ""),
        *declared("Constants", constants, "std::uint32_t", ".word()"),
        "  Index n_fft;" if is_sized else "  static constexpr Index n_fft = 0;",
        "  Constants constants;" if constants else "  static constexpr Constants constants{};",
        "};",
        "",
        "}  // namespace metalmom::gpu::shader",
        "",
    ]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("spirv", type=Path)
    parser.add_argument("header", type=Path)
    parser.add_argument("--sized", action="store_true", help="the shader is compiled for each size of transform")
    given = parser.parse_args()
    text = header(given.name, Module(given.spirv.read_bytes()), given.sized)
    if not given.header.exists() or given.header.read_text() != text:  # what is as before compiles nothing again
        given.header.write_text(text)


if __name__ == "__main__":
    main()
