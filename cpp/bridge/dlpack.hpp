// The structs of DLPack (dmlc.github.io/dlpack), by which array libraries hand memory to each other
// without a copy. They are laid out as in its version 1, with names of ours.
#pragma once

#include <cstdint>

namespace metalmom::bridge::dlpack {

enum class DeviceKind : std::int32_t { cpu = 1, cuda = 2, rocm = 10, cuda_managed = 13 };
enum class TypeCode : std::uint8_t { floating = 2, complex = 5 };

struct Device {
  DeviceKind kind;
  std::int32_t ordinal;
};

struct DataType {
  TypeCode code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType dtype;
  std::int64_t* shape;
  std::int64_t* strides;  // in elements; null: as C orders
  std::uint64_t byte_offset;
};

// What a capsule of this name holds until somebody takes it and names it `used`.
struct Managed {
  static constexpr const char* name = "dltensor";
  Tensor tensor;
  void* owner;
  void (*deleter)(Managed*);
};

struct VersionedManaged {
  static constexpr const char* name = "dltensor_versioned";
  static constexpr std::uint32_t known_major = 1;
  std::uint32_t major, minor;
  void* owner;
  void (*deleter)(VersionedManaged*);
  std::uint64_t flags;
  Tensor tensor;
};

}  // namespace metalmom::bridge::dlpack
