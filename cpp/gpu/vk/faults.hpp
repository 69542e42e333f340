// Errors on order, for the tests of what happens after one: calls of a function of Vulkan answer
// with a given result instead of reaching the driver. All functions of the tables (vulkan.hpp) ask
// here that answer with a VkResult.
#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <map>
#include <string_view>

namespace metalmom::gpu {

struct Fault {
  VkResult result = VK_SUCCESS;
  int count = 1;                     // calls that answer so,
  int skip = 0;                      // after so many more
  VkDevice device = VK_NULL_HANDLE;  // null: of any device
};

// Replaces the one that the function had.
void inject_fault(std::string_view function, const Fault& fault);
// Takes all back; returns whether one was still due.
bool withdraw_faults();

// Counts calls from here on, of all functions that answer with a VkResult and are loaded meanwhile:
// those that nobody calls are there, too. Null: no longer.
using CallCounts = std::map<std::string_view, int>;
void count_calls(CallCounts* counts);

namespace detail {

inline constinit std::atomic<bool> watches_calls{false};
void note_function(const char* name);
VkResult fault_of_watched_call(const char* function, VkDevice device);

}  // namespace detail

// What a function of a table asks before each call: VK_SUCCESS unless a fault is due.
inline VkResult take_fault(const char* function, VkDevice device) {
  if (!detail::watches_calls.load(std::memory_order_relaxed)) [[likely]]
    return VK_SUCCESS;
  return detail::fault_of_watched_call(function, device);
}

}  // namespace metalmom::gpu
