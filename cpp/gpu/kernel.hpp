// How an op runs on the GPU: a specialisation of Kernel in gpu/kernels/<op>.hpp. Without one the op
// is CPU only.
//
// A batch is cut into pieces, at clip borders, and where a clip alone is too large along its units
// (frames, or whatever the kernel counts). A kernel says which part of each array a piece touches
// and records the work of one piece; uploads, downloads, pieces in flight and memory are the
// engine's (gpu/run/run.hpp). On device arrays there are no transfers, and a piece is whole clips.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "gpu/slice.hpp"

namespace metalmom::gpu {

inline constexpr bool built = METALMOM_GPU_BUILT;

// Why a kernel declines a plan: in words, or by a parameter and what it is, so that an error can
// name it. Empty where the kernel takes the plan.
struct Reason {
  constexpr Reason(const char* what = nullptr, const char* of = nullptr)
      : words(what), parameter(of) {}
  explicit constexpr operator bool() const { return words; }

  const char *words, *parameter;  // static
};

// The part of a (batch, rows, cols) array that belongs to a piece. In device memory it is compact:
// (n_clips, n_rows, n_cols). Nothing is transferred where n_rows or n_cols is 0.
struct Region {
  Index row = 0, n_rows = 0;
  Index col = 0, n_cols = 0;
};

// Clips [clip, clip + n_clips) of the batch, and of each of them units [unit, unit + n_units).
// Several clips are always whole.
struct Piece {
  Index clip = 0, n_clips = 0;
  Index unit = 0, n_units = 0;
  bool last = true;  // whether the piece has the last units of its clips
  // Which samples of each clip are in the input's memory. Without rows: just those that the kernel
  // reads. Else more of them are there, because other kernels read them too or all of the audio is
  // kept on the device.
  Region held = {};
  bool first() const { return unit == 0; }
  bool has_whole_clips() const { return first() && last; }
};
constexpr Piece whole_clips(Index clip, Index n_clips, Index units) {
  return {clip, n_clips, 0, units, true};
}
// The clips of a piece, all of them, as a kernel that it calls counts their units.
constexpr Piece whole_clips(const Piece& piece, Index units) {
  return whole_clips(piece.clip, piece.n_clips, units);
}

// Where a clip is cut, its pieces begin at a multiple of so many units, so that no kernel has
// incomplete groups of threads.
inline constexpr Index piece_unit_step = 64;

// A host array that is streamed through the device.
struct HostArray {
  void* data = nullptr;
  Index batch = 0, rows = 0, cols = 0;
  std::size_t item_bytes = 0;  // on the device
  bool is_widened = false;     // float on the device, double on the host
  std::size_t host_item_bytes() const { return is_widened ? sizeof(double) : item_bytes; }
  std::size_t bytes() const { return static_cast<std::size_t>(batch * rows * cols) * item_bytes; }
  // The clips that it has for a piece. An array with a batch of one serves all clips.
  Piece clips_of(Piece piece) const {
    if (batch == 1) piece.clip = 0, piece.n_clips = 1;
    return piece;
  }
};
template <class T>
HostArray host_array(const View<T>& view) {
  using Item = std::remove_const_t<T>;
  static_assert(std::is_same_v<Item, float> || std::is_same_v<Item, std::complex<float>>);
  return {const_cast<Item*>(view.data), view.batch, view.rows, view.cols, sizeof(Item)};
}
// A result that librosa has in float64: computed in float32 on the device, and widened on the host.
inline HostArray widened(const View<double>& view) {
  return {view.data, view.batch, view.rows, view.cols, sizeof(float), true};
}

// The device memory of one piece, in the order of `inputs` and `outputs`.
struct Slices {
  std::span<const Slice> in, out;
  Slice carry;                         // kept from piece to piece of the same clips
  std::span<const Slice> shared = {};  // by all pieces, of kernels that answer for the whole batch
};

// What a specialisation says only if it differs: a kernel of whole clips that keeps nothing.
struct KernelBase {
  static constexpr bool exists = true;
  // Units into which a clip can be cut; 1: only whole clips.
  static Index units(const auto& /*plan*/) { return 1; }
  // Bytes that stay from a clip's first piece to its last: a maximum, or a spectrogram that can be
  // finished only when all of the clip is known. With a carry the pieces of a clip are recorded in
  // order, and outputs that wait for the whole clip have an empty output_region before the last
  // piece.
  static std::size_t carry_bytes(const auto& /*plan*/, Index /*n_clips*/) { return 0; }
};

// The primary template. A specialisation derives from KernelBase and has:
//
//   // Why the kernel cannot do the plan on such a device.
//   static Reason supports(const Plan&, const Limits&);
//   // The streamed arrays; windows and bases are not among them: they are Session::table's. An
//   // array with a batch of one, after the first, serves all clips of a larger batch.
//   static std::array<HostArray, N> inputs(const In<float>&);
//   static std::array<HostArray, M> outputs(const Out<float>&);
//   // The parts of array i that a piece reads (with overlap) and writes.
//   static Region input_region(const Plan&, const Piece&, std::size_t i);
//   static Region output_region(const Plan&, const Piece&, std::size_t i);
//   // Records the work of a piece. Results must not depend on how the batch was cut. A session
//   // that only counts scratch memory records it too, so how much is taken may depend on the
//   // plan and the piece alone.
//   static void record(Session&, const Plan&, const In<float>&, const Piece&, const Slices&);
//
// A kernel that answers for the whole batch (a tuning) has no outputs. Its pieces add to memory
// that they share, and it has, besides,
//
//   // Bytes of that memory, at most `most`. It is slices.shared[0] in `record`, which may run for
//   // several pieces at a time.
//   static std::size_t shared_bytes(const Plan&, std::size_t most);
//   // Before the first piece, and after the last one.
//   static void record_first(Session&, const Plan&, const Slice& shared);
//   static void record_last(Session&, const Plan&, const Slice& shared);
//   // The answer: so many bytes of the memory's beginning, from which the host makes the results.
//   static std::size_t answer_bytes(const Plan&);
//   static void take_answer(const Plan&, const Out<float>&, std::span<const std::byte>);
//
// Kernels may call other kernels' record, with scratch slices in between.
template <class Op>
struct Kernel {
  static constexpr bool exists = false;
};

template <class Op>
concept AnswersForBatch = requires(const typename Op::Plan& plan) {
  Kernel<Op>::answer_bytes(plan);
};

}  // namespace metalmom::gpu
