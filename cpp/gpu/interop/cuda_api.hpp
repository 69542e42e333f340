// libcuda as this engine calls it: its C interface since CUDA 11.4, declared here and found at run
// time, so that nothing is built or linked with it. AMD's HIP has the same functions and structs
// under names of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "gpu/sharing.hpp"

namespace metalmom::gpu::cuda {

using Result = int;  // 0: success
using Context = struct ContextObject*;
using Stream = struct StreamObject*;
using Event = struct EventObject*;
using ExternalMemory = struct ExternalMemoryObject*;
using ExternalSemaphore = struct ExternalSemaphoreObject*;
using Address = unsigned long long;
using Uuid = std::array<std::uint8_t, 16>;

// What is imported: a file descriptor, in a union of 16 bytes.
struct Handle {
  int fd = -1;
  alignas(8) std::byte rest[8]{};
};
inline constexpr int opaque_fd = 1, timeline_semaphore_fd = 9;  // kinds of handles
inline constexpr unsigned dedicated_memory = 1;

struct MemoryHandle {
  int kind = opaque_fd;
  alignas(8) Handle handle;
  unsigned long long bytes = 0;
  unsigned flags = 0;
  unsigned reserved[16]{};
};
struct MappedRange {
  unsigned long long offset = 0, bytes = 0;
  unsigned flags = 0;
  unsigned reserved[16]{};
};
struct SemaphoreHandle {
  int kind = timeline_semaphore_fd;
  alignas(8) Handle handle;
  unsigned flags = 0;
  unsigned reserved[16]{};
};
// Of a signal; the rest is for other kinds of semaphores.
struct SemaphoreValue {
  unsigned long long value = 0;
  std::byte rest[136]{};
};
static_assert(sizeof(MemoryHandle) == 104 && sizeof(MappedRange) == 88 &&
              sizeof(SemaphoreHandle) == 96 && sizeof(SemaphoreValue) == 144);

inline constexpr unsigned non_blocking_stream = 1, event_without_timing = 2;
inline constexpr int device_ordinal_attribute = 9;
// Calls that nobody else's capture sees.
inline constexpr int relaxed_capture_mode = 2;

struct Api {
  Runtime runtime = Runtime::cuda;
  Result (*init)(unsigned flags);
  Result (*error_name)(Result result, const char** name);
  Result (*device_count)(int* count);
  Result (*device_get)(int* device, int ordinal);
  // How a device is known to Vulkan: CUDA says it by a UUID, HIP by an address on the bus.
  Result (*device_uuid)(Uuid* uuid, int device);
  Result (*pci_address)(char* text, int bytes, int device);
  Result (*retain_primary_context)(Context* context, int device);
  Result (*push_context)(Context context);
  Result (*pop_context)(Context* context);

  Result (*import_memory)(ExternalMemory* memory, const MemoryHandle* handle);
  Result (*map_memory)(Address* address, ExternalMemory memory, const MappedRange* range);
  Result (*free_address)(Address address);
  Result (*destroy_memory)(ExternalMemory memory);
  Result (*pointer_attribute)(void* value, int attribute, Address address);
  Result (*copy)(Address target, Address source, std::size_t bytes, Stream stream);

  // CUDA's; HIP has them for Windows alone.
  Result (*import_semaphore)(ExternalSemaphore* semaphore, const SemaphoreHandle* handle);
  Result (*signal_semaphores)(const ExternalSemaphore* semaphores, const SemaphoreValue* values,
                              unsigned count, Stream stream);

  Result (*create_stream)(Stream* stream, unsigned flags);
  Result (*synchronize)(Stream stream);
  Result (*query)(Stream stream);
  Result (*is_capturing)(Stream stream, int* status);
  Result (*exchange_capture_mode)(int* mode);
  Result (*wait_event)(Stream stream, Event event, unsigned flags);
  Result (*create_event)(Event* event, unsigned flags);
  Result (*record_event)(Event event, Stream stream);
};

// Opened on the first call and kept. Throws NotShareable when there is none.
const Api& api(Runtime runtime);
// Throws NotShareable for what is no success, of a call by its name in CUDA.
void check(const Api& api, Result result, const char* call);

}  // namespace metalmom::gpu::cuda
