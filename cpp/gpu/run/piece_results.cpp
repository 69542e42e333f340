#include "gpu/run/piece_results.hpp"

#include "gpu/run/pieces.hpp"
#include "gpu/run/staging.hpp"

namespace metalmom::gpu {

std::vector<Slice> make_results(CommandSession& session, const Task& task, const Piece& piece) {
  std::vector<Slice> results;
  for (std::size_t i = 0; i < task.outputs().size(); ++i)
    results.push_back(
        session.scratch(region_bytes(task.outputs()[i], piece, task.output_region(piece, i))));
  return results;
}

void download_results(CommandSession& session, std::span<const Slice> results) {
  for (const Slice& each : results)
    if (each.bytes) session.download(each);
}

std::size_t store_results(const Task& task, const Piece& piece,
                          std::span<std::byte* const> downloads) {
  std::size_t stored = 0;
  for (std::size_t i = 0; i < task.outputs().size(); ++i) {
    const Region region = task.output_region(piece, i);
    if (region_bytes(task.outputs()[i], piece, region))
      copy_region(task.outputs()[i], piece, region, downloads[stored++], Direction::out);
  }
  return stored;
}

}  // namespace metalmom::gpu
