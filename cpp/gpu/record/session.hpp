// A session records the kernels of one piece of work into one command buffer, with the barriers
// they need, two timestamps each, and the device memory they share. Sessions are leased from the
// device's pool: each is used by one thread at a time, many may be in flight.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/shader.hpp"
#include "gpu/slice.hpp"

namespace metalmom::gpu {

class Device;

// What a dispatch moves and computes, for its span in a trace; the name has static storage.
struct KernelWork {
  const char* name = nullptr;  // null: the shader's
  double bytes = 0, flops = 0;
};

class Session {
 public:
  virtual ~Session() = default;

  // Uninitialised memory for intermediate results. It is the session's until the recorded work is
  // done, and aligned so that it can be bound.
  virtual Slice scratch(std::size_t bytes) = 0;

  // A constant table, kept on the device under (kind, source): `source` is the data the table is
  // derived from (a window's values, a basis' weights, sizes), `make` derives it when it is not
  // there yet. Floats made in double precision on the host.
  virtual Slice table(std::string_view kind, std::span<const std::byte> source,
                      const std::function<std::vector<float>()>& make) = 0;

  // Sets every 32-bit word of the slice.
  virtual void fill(Slice slice, std::uint32_t word) = 0;

  // Runs a shader, given by its interface (gpu/record/shader_interface.hpp), after everything
  // recorded before it that it depends on.
  template <class Interface>
  void dispatch(const Interface& shader, Groups groups, const typename Interface::Buffers& buffers,
                const typename Interface::Push& push, const KernelWork& work = {}) {
    static_assert(std::is_trivially_copyable_v<typename Interface::Push> &&
                  sizeof push <= most_push_bytes);
    const auto constants = shader.constants.all();
    record({Interface::name, shader.n_fft, constants}, groups, buffers.all(),
           std::as_bytes(std::span(&push, 1)), work);
  }

  virtual const Limits& limits() const = 0;

  // Intermediate results that several kernels of a piece need. The first kernel makes them and
  // notes their place under a key, the words that they depend on; the note holds while the piece is
  // recorded.
  using Words = std::vector<std::uint64_t>;
  using Made = std::array<Slice, 2>;
  const Made* made(const Words& of) const {
    const auto found = std::ranges::find(made_, of, &std::pair<Words, Made>::first);
    return found == made_.end() ? nullptr : &found->second;
  }
  void note(Words of, const Made& where) { made_.emplace_back(std::move(of), where); }

 protected:
  void forget_made() { made_.clear(); }

  virtual void record(const Shader& shader, Groups groups, std::span<const Binding> bindings,
                      std::span<const std::byte> push, const KernelWork& work) = 0;

 private:
  std::vector<std::pair<Words, Made>> made_;
};

}  // namespace metalmom::gpu
