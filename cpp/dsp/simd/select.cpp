#include "dsp/simd/select.hpp"

#include <atomic>
#include <cstdlib>
#include <string>

#include "base/error.hpp"

namespace metalmom::dsp::simd {
namespace {

struct Set {
  std::string_view name;
  const Kernels& (*kernels)();
  bool (*runs_here)();
};

// In order of priority. The sets a build has depend on its architecture: dsp/CMakeLists.txt.
constexpr Set sets[] = {
#if defined(__x86_64__) && !defined(METALMOM_BASELINE_ALONE)
    {"avx512", kernels_of<Isa::avx512>,
     [] {
       return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
              __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
              __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2");
     }},
    {"avx2", kernels_of<Isa::avx2>,
     [] {
       return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi2");
     }},
#endif
    {"baseline", kernels_of<Isa::baseline>, [] { return true; }},
};

// The x86 baseline is also called "sse", a name that scripts use.
std::string_view without_alias(std::string_view name) {
#if defined(__x86_64__)
  if (name == "sse") return "baseline";
#endif
  return name;
}

const Kernels& find(std::string_view given) {
  const std::string_view name = without_alias(given);
  std::string rule = "a set of instructions that this processor has:";
  for (const Set& set : sets) {
    if (!set.runs_here()) continue;
    if (name.empty() || name == set.name) return set.kernels();
    rule.append(" '").append(set.name).append("'");
  }
  throw_parameter("METALMOM_SIMD", to_text(name), rule);
}

std::atomic<const Kernels*> in_use{nullptr};

}  // namespace

std::vector<std::string_view> available() {
  std::vector<std::string_view> names;
  for (const Set& set : sets)
    if (set.runs_here()) names.push_back(set.name);
  return names;
}

const Kernels& kernels() {
  const Kernels* found = in_use.load(std::memory_order_relaxed);
  if (!found) {
    const char* forced = std::getenv("METALMOM_SIMD");
    found = &find(forced ? forced : "");
    in_use.store(found, std::memory_order_relaxed);
  }
  return *found;
}

void select(std::string_view name) {
  in_use.store(&find(name), std::memory_order_relaxed);
}

}  // namespace metalmom::dsp::simd
