#include "gpu/run/scratch.hpp"

#include <limits>
#include <vector>

namespace metalmom::gpu {

namespace {

// A slice with a buffer that is never read: recording only asks whether there is one.
Slice somewhere(std::size_t bytes) {
  static const char place = 0;
  return {reinterpret_cast<const DeviceBuffer*>(&place), 0, bytes};
}

class CountingSession final : public Session {
 public:
  static constexpr auto most = std::numeric_limits<std::uint32_t>::max();

  std::size_t bytes() const { return bytes_; }

  Slice scratch(std::size_t bytes) override {
    bytes_ += align_up(bytes);
    return somewhere(bytes);
  }
  Slice table(std::string_view, std::span<const std::byte>,
              const std::function<std::vector<float>()>&) override {
    return somewhere(0);
  }
  void fill(Slice, std::uint32_t) override {}
  const Limits& limits() const override { return limits_; }

 private:
  void record(const Shader&, Groups, std::span<const Binding>, std::span<const std::byte>,
              const KernelWork&) override {}

  static constexpr Limits limits_{most, most, most, most, most};
  std::size_t bytes_ = 0;
};

}  // namespace

std::size_t scratch_bytes(const Task& task, const Piece& piece) {
  const std::vector<Slice> in(task.inputs().size(), somewhere(0));
  const std::vector<Slice> out(task.outputs().size(), somewhere(0));
  std::vector<Slice> shared;
  for (const BatchAnswer* each : task.answers())
    shared.push_back(somewhere(each->shared_bytes(CountingSession::most)));
  const std::size_t carry_bytes = task.carry_bytes(piece.n_clips);
  CountingSession session;
  task.record(session, piece, {in, out, carry_bytes ? somewhere(carry_bytes) : Slice{}, shared});
  return session.bytes();
}

}  // namespace metalmom::gpu
