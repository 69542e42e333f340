#include "io/parallel_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/buffer.hpp"
#include "base/ceil_div.hpp"
#include "base/error.hpp"
#include "base/workers.hpp"

namespace metalmom::io {

namespace {

// 3 s: to enter a part costs a thirtieth of the time to decode it
constexpr Index part_frames = 1 << 17;
constexpr Index most_parts = 8;  // decoded at once: 8 MiB of stereo float32

// Every decoder reads some frames more than its part. They must be the first of the next part:
// otherwise the file is damaged or cannot be entered exactly, and is read in order from there on.
constexpr Index overlap_frames = 256;

class ParallelDecoder final : public Decoder {
 public:
  ParallelDecoder(std::vector<std::unique_ptr<Decoder>> decoders, SampleType type, Index start,
                  Index count)
      : Decoder(decoders[0]->name(), decoders[0]->format()),
        decoders_(std::move(decoders)),
        start_(start),
        position_(start),
        decoded_to_(start),
        end_(start + count),
        frame_bytes_(static_cast<Index>(size_of(type)) * format_.channels),
        parts_(static_cast<Index>(decoders_.size())),
        frames_(bytes(parts_ * part_frames)),
        overlaps_(bytes((parts_ + 1) * overlap_frames)) {}

  std::optional<Index> frames() const override { return decoders_[0]->frames(); }
  Index count_frames() override { return decoders_[0]->count_frames(); }

  void seek(Index frame) override {
    read_in_order_from(frame);
    position_ = frame;
  }

  Index read(void* into, Index count) override {
    auto* to = static_cast<std::byte*>(into);
    Index done = 0;
    while (done < count && !in_order_) {
      if (position_ == decoded_to_ && !decode_parts()) break;
      const Index part = std::min(count - done, decoded_to_ - position_);
      std::memcpy(to + done * frame_bytes_, frames_.data() + (position_ - first_) * frame_bytes_,
                  bytes(part));
      position_ += part;
      done += part;
    }
    if (in_order_ && done < count) done += in_order_->read(to + done * frame_bytes_, count - done);
    return done;
  }

 private:
  std::size_t bytes(Index frames) const { return static_cast<std::size_t>(frames * frame_bytes_); }

  // The frames after part `index`, as the decoder of that part gives them; -1: the part before all
  // others.
  std::byte* overlap_of(Index index) const {
    return overlaps_.data() + (index + 1) * overlap_frames * frame_bytes_;
  }

  // Decodes the next parts, one by each decoder. False at the end of the file, and if neighbouring
  // parts do not agree.
  bool decode_parts() {
    if (position_ == end_) return false;
    first_ = position_;
    const Index parts = std::min(parts_, ceil_div(end_ - first_, part_frames));
    parallel_for(parts, 1, [&](Index begin, Index end) {
      for (Index part = begin; part < end; ++part) decode_part(part);
    });
    for (Index part = 0; part < parts; ++part)
      if (!fits(part)) {
        read_in_order_from(position_);
        return false;
      }
    decoded_to_ = std::min(end_, first_ + parts * part_frames);
    std::memcpy(overlap_of(-1), overlap_of(parts - 1), bytes(overlap_frames));
    return true;
  }

  void decode_part(Index part) {
    const Index from = first_ + part * part_frames;
    const Index count = std::min(part_frames, end_ - from);
    Decoder& decoder = *decoders_[static_cast<std::size_t>(part)];
    complete_[part] = false;
    try {
      // The first one stands there; in a damaged file a seek might step over the damage.
      if (from > start_) decoder.seek(from);
      if (decoder.read(frames_.data() + part * part_frames * frame_bytes_, count) < count) return;
      const Index more = std::min(overlap_frames, end_ - from - count);
      complete_[part] = decoder.read(overlap_of(part), more) == more;
    } catch (const AudioError&) {
      // Damage. The part stays incomplete; reading in order will meet the same damage and say after
      // how many seconds.
    }
  }

  bool fits(Index part) const {
    if (!complete_[part]) return false;
    const Index from = first_ + part * part_frames;
    const Index known = from == start_ ? 0 : std::min(overlap_frames, end_ - from);
    return std::memcmp(overlap_of(part - 1), frames_.data() + part * part_frames * frame_bytes_,
                       bytes(known)) == 0;
  }

  // Reads from `frame` on with a new decoder, in order, as if the file had never been decoded in
  // parts.
  void read_in_order_from(Index frame) {
    in_order_ = decoders_[0]->clone();
    if (!in_order_) throw AudioError(name_ + " cannot be opened a second time");
    if (start_ > 0) in_order_->seek(start_);
    for (Index left = frame - start_, got = 1; left > 0 && got > 0; left -= got)
      got = in_order_->read(frames_.data(), std::min(left, part_frames));
  }

  std::vector<std::unique_ptr<Decoder>> decoders_;
  Index start_, position_, decoded_to_, end_;
  Index first_ = 0;  // the frame at which frames_ begins
  Index frame_bytes_, parts_;
  Buffer<std::byte> frames_, overlaps_;
  bool complete_[most_parts] = {};
  std::unique_ptr<Decoder> in_order_;  // set when parts did not agree
};

}  // namespace

std::unique_ptr<Decoder> decode_in_parallel(std::unique_ptr<Decoder> decoder, SampleType type,
                                            Index start, Index count) {
  const Index parts = std::min({Index{thread_count()}, most_parts, count / part_frames});
  if (parts < 2) return decoder;
  std::vector<std::unique_ptr<Decoder>> decoders;
  decoders.push_back(std::move(decoder));
  while (static_cast<Index>(decoders.size()) < parts) {
    auto another = decoders[0]->clone();
    if (!another) return std::move(decoders[0]);
    decoders.push_back(std::move(another));
  }
  return std::make_unique<ParallelDecoder>(std::move(decoders), type, start, count);
}

}  // namespace metalmom::io
