// How a batch is cut into pieces that fit the device.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/run/run.hpp"

namespace metalmom::gpu {

// Device memory of a piece, as a session needs it.
struct PieceBytes {
  std::size_t in = 0, out = 0;  // streamed arrays, each from an aligned offset
  std::size_t held = 0;         // of the input's samples that are on the device already
  std::size_t scratch = 0, carry = 0;
  std::size_t largest = 0;  // the largest array, which must fit a binding
  std::size_t total() const { return in + out + scratch + carry; }
};
// `held`: the task's one input is on the device already and is not streamed.
PieceBytes bytes_of(const Task& task, const Piece& piece, bool held = false);
std::size_t region_bytes(const HostArray& array, const Piece& piece, const Region& region);
// Whether a task answers nothing and all its results are empty: a batch without clips, clips
// without bins.
bool computes_nothing(const Task& task);
std::size_t clip_bytes(const HostArray& array);

struct CutLimits {
  std::size_t binding = 0;  // bytes of the largest binding
  std::size_t piece = 0;    // bytes of one piece
  std::size_t target = 0;   // bytes that a piece reads and streams out, where the cut is free
  bool held = false;        // the input is on the device, as whole clips
};

// Pieces in order.
struct Cut {
  std::vector<Piece> pieces;
  bool carried = false;   // a carry is kept from piece to piece of a clip
  bool smallest = false;  // no limit could cut finer
};

// Throws DeviceError when the smallest piece is too large.
Cut cut_batch(const Task& task, const CutLimits& limits);

}  // namespace metalmom::gpu
