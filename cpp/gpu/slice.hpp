// What a kernel is handed: ranges of device memory, without a word of Vulkan.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/ceil_div.hpp"
#include "base/view.hpp"

namespace metalmom::gpu {

class DeviceBuffer;

// Every slice of an allocation begins at a multiple of this: any device's storage buffer alignment
// divides it.
inline constexpr std::size_t slice_alignment = 256;
constexpr std::size_t align_up(std::size_t bytes) {
  return round_up(bytes, slice_alignment);
}

// `bytes` of a device buffer from `offset`. Owned by a session, a table cache or a device array.
struct Slice {
  const DeviceBuffer* buffer = nullptr;
  std::size_t offset = 0;
  std::size_t bytes = 0;

  explicit operator bool() const { return buffer != nullptr; }
};

// A slice with an owner. When the last owner drops it, work that is submitted later may use the
// memory, so work in flight need not own it if `busy_until` says when it ends.
struct OwnedSlice : Slice {
  // The tick of the device's clock (gpu/vk/clock.hpp) at which the last compute work that uses the
  // memory is done. Whoever reads or writes it on another queue waits for that.
  mutable std::atomic<std::uint64_t> busy_until{0};
  // The same by the clock of those whom the memory was lent to (gpu/sharing.hpp).
  mutable std::atomic<std::uint64_t> lent_until{0};

  void used_until(std::uint64_t tick) const { raise(busy_until, tick); }
  void used_by_others_until(std::uint64_t tick) const { raise(lent_until, tick); }

 private:
  static void raise(std::atomic<std::uint64_t>& until, std::uint64_t tick) {
    std::uint64_t now = until.load(std::memory_order_relaxed);
    while (now < tick && !until.compare_exchange_weak(now, tick, std::memory_order_relaxed)) {
    }
  }
};
using Allocation = std::shared_ptr<const OwnedSlice>;

// A slice as one dispatch uses it. The session derives from the access which barriers it must
// insert.
enum class Access : std::uint8_t { read, write, read_write };
struct Binding {
  Slice slice;
  Access access;
};
// A placeholder for a binding that the specialised shader does not use.
struct Unused {
  Slice slice;
};
template <Access use>
struct BindingFor : Binding {
  BindingFor(const Slice& used) : Binding{used, use} {}
  BindingFor(const Unused& unused) : Binding{unused.slice, Access::read} {}
};
using Read = BindingFor<Access::read>;
using Write = BindingFor<Access::write>;
using Update = BindingFor<Access::read_write>;

// What kernels may need to know of the device before they accept a plan.
struct Limits {
  std::size_t storage_range = 0;    // bytes of one binding
  std::size_t shared_memory = 0;    // bytes of one workgroup
  std::uint32_t group_threads = 0;  // threads of one workgroup
  std::uint32_t groups_x = 0;       // workgroups of one dispatch, each axis
  std::uint32_t groups_yz = 0;
};

}  // namespace metalmom::gpu
