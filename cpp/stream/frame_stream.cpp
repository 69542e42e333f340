#include "stream/frame_stream.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/interrupt.hpp"
#include "ops/op.hpp"

namespace metalmom::stream {

using dsp::PadMode;

Index window_samples(const ops::FrameParams& params) {
  return params.n_fft + (dsp::block_frames - 1) * params.hop_length;
}

namespace {

// Groups the features whose consumers can read the same frames; each group shares a pipeline.
template <class T>
std::vector<ops::Pipeline<T>> pipelines_of(
    const std::vector<std::unique_ptr<Feature<T>>>& features) {
  std::vector<std::vector<ops::Consumer<T>*>> groups;
  for (const auto& each : features) {
    auto& consumer = each->consumer();
    auto group = std::ranges::find_if(
        groups, [&](const auto& some) { return ops::Pipeline<T>::fits(*some[0], consumer); });
    if (group == groups.end()) group = groups.insert(groups.end(), {{}});
    group->push_back(&consumer);
  }
  std::vector<ops::Pipeline<T>> pipelines;
  ops::Transforms transforms;
  for (auto& group : groups) pipelines.emplace_back(std::move(group), transforms);
  return pipelines;
}

}  // namespace

template <class T>
FrameStream<T>::FrameStream(const ops::FrameParams& params, Index channels, T* samples,
                            std::vector<std::unique_ptr<Feature<T>>> features, SharedTurns turns)
    : params_(params),
      channels_(channels),
      window_(window_samples(params)),
      samples_(samples),
      features_(std::move(features)),
      turns_(std::move(turns)),
      pipelines_(pipelines_of(features_)),
      tail_(static_cast<std::size_t>(channels * (pad() + 1))),
      padding_(static_cast<std::size_t>(channels * pad())),
      ranges_(features_.size()) {
  Index values = 0;
  for (const auto& each : pipelines_) values += channels * each.stored_per_signal();
  memory_ = Buffer<T>(static_cast<std::size_t>(values));
  clear();
}

template <class T>
void FrameStream<T>::reset() {
  turns_->change();
  clear();
  turns_->done_anew();
}

template <class T>
void FrameStream<T>::clear() {
  position_ = frame_ = remembered_ = start_ = unread_ = 0;
  held_ = pad();
  begun_ = ended_ = false;
  std::ranges::fill(ranges_, Range{0, 0});
  for (const auto& each : features_) each->reset();
}

// Samples that must be there before the padding in front of the first one is known.
template <class T>
Index FrameStream<T>::needed_to_begin() const {
  if (!params_.center) return 0;
  switch (params_.pad_mode) {
    case PadMode::edge:
    case PadMode::linear_ramp:
      return 1;
    case PadMode::reflect:
      return pad() + 1;
    case PadMode::symmetric:
      return std::max<Index>(pad(), 1);
    case PadMode::constant:
    case PadMode::empty:
      break;
  }
  return 0;
}

template <class T>
Progress FrameStream<T>::progress(Index position, bool ended) const {
  const auto frames = [&](Index samples) {
    return dsp::count_frames(samples, params_.hop_length, params_.n_fft, 0);
  };
  const bool begun = ended || position >= needed_to_begin();
  const Index padded = position + pad(), whole = frames(padded + pad());
  return {ended ? whole : begun ? frames(padded) : 0, whole, ended};
}

template <class T>
typename FrameStream<T>::Range FrameStream<T>::ready(const Input& input,
                                                     std::size_t feature) const {
  turns_->require_open(ended_);
  return next_range(input, feature);
}

template <class T>
typename FrameStream<T>::Range FrameStream<T>::next_range(const Input& input,
                                                          std::size_t feature) const {
  const Progress after = progress(position_ + input.count, input.last);
  return {ranges_[feature].end, features_[feature]->known(after)};
}

template <class T>
void FrameStream<T>::check(const Input& input) const {
  turns_->require_open(ended_);
  for (Index b = 0; b < channels_; ++b)
    ops::require_finite(
        std::span(input.data + b * input.stride, static_cast<std::size_t>(input.count)));
  require(!input.last || position_ + input.count >= (needed_to_begin() > 0 ? 1 : 0), "y.shape[-1]",
          position_ + input.count, "at least 1 to be padded");
}

template <class T>
void FrameStream<T>::process(const Input& input, std::span<const std::span<const Sink>> sinks) {
  check(input);
  check_interrupt();  // a call that ends here can be made again
  turns_->change();
  runs_ = 0;
  const OwnWorkspace::Scope scope(workspace_);
  sinks_ = sinks;
  for (std::size_t i = 0; i < features_.size(); ++i) {
    ranges_[i] = next_range(input, i);
    features_[i]->open(sinks_[i], ranges_[i].begin, ranges_[i].end);
  }
  remember(input);
  take(input.data, input.stride, input.count);
  position_ += input.count;
  if (input.last) end();
  turns_->done_block(input.count, input.last);
}

// Keeps the last pad() + 1 samples of each channel, for the padding at the end.
template <class T>
void FrameStream<T>::remember(const Input& input) {
  const Index room = pad() + 1, fresh = std::min(input.count, room);
  if (needed_to_begin() == 0 || fresh == 0) return;
  const Index kept = std::min(remembered_, room - fresh);
  for (Index b = 0; b < channels_; ++b) {
    T* const tail = tail_.data() + b * room;
    std::copy_n(tail + remembered_ - kept, kept, tail);
    std::copy_n(input.data + b * input.stride + input.count - fresh, fresh, tail + kept);
  }
  remembered_ = kept + fresh;
}

// Writes the padding before the signal. The first samples are in the window already, behind its
// place.
template <class T>
void FrameStream<T>::begin() {
  begun_ = true;
  for (Index b = 0; b < channels_ && pad() > 0; ++b) {
    const dsp::FrameSource<T> source{channel(b) + pad(), held_ - pad(), 1, pad(), pad(),
                                     params_.pad_mode};
    dsp::gather_frame(source, 0, channel(b));
  }
}

template <class T>
void FrameStream<T>::end() {
  if (!begun_) begin();
  if (pad() > 0) {
    const Index row = pad() + 1;
    for (Index b = 0; b < channels_; ++b) {
      const dsp::FrameSource<T> source{tail_.data() + b * row, remembered_, 1, pad(), pad(),
                                       params_.pad_mode};
      dsp::gather_frame(source, remembered_ + pad(), padding_.data() + b * pad());
    }
    take(padding_.data(), pad(), pad());
  }
  run_ready();
  ended_ = true;
}

template <class T>
void FrameStream<T>::take(const T* data, Index stride, Index count) {
  if (!begun_ && held_ - pad() >= needed_to_begin()) begin();
  while (count > 0) {
    const Index skipped = std::min(unread_, count);
    unread_ -= skipped;
    data += skipped;
    count -= skipped;
    if (start_ + held_ + count > window_) move_to_begin();
    const Index taken = std::min(count, window_ - start_ - held_);
    for (Index b = 0; b < channels_; ++b)
      std::copy_n(data + b * stride, taken, channel(b) + start_ + held_);
    held_ += taken;
    data += taken;
    count -= taken;
    if (!begun_ && held_ - pad() >= needed_to_begin()) begin();
    run_ready();
  }
}

// Makes room behind the samples that are held.
template <class T>
void FrameStream<T>::move_to_begin() {
  for (Index b = 0; b < channels_ && start_ > 0 && held_ > 0; ++b)
    std::copy_n(channel(b) + start_, held_, channel(b));
  start_ = 0;
}

template <class T>
void FrameStream<T>::run_ready() {
  while (begun_ && held_ >= params_.n_fft) {
    const Index whole = 1 + (held_ - params_.n_fft) / params_.hop_length;
    const Index count = std::min(whole, dsp::block_frames), passed = count * params_.hop_length;
    run(count);
    unread_ = std::max<Index>(passed - held_, 0);
    held_ = std::max<Index>(held_ - passed, 0);
    start_ = held_ > 0 ? start_ + passed : 0;
    frame_ += count;
  }
}

template <class T>
void FrameStream<T>::run(Index count) {
  if (runs_++ > 0) check_interrupt();  // a long call, which ends with the stream stopped
  for (const auto& each : features_) {
    each->frames().n_frames = count;
    each->frames().origin = start_;
  }
  T* memory = memory_.data();
  for (const auto& pipeline : pipelines_) {
    const typename ops::Pipeline<T>::Segment segment{0, channels_, memory};
    pipeline.consume(segment, 0, pipeline.blocks().total());
    for (Index task = 0; task < pipeline.finish_tasks(channels_); ++task)
      pipeline.finish(segment, task);
    memory += channels_ * pipeline.stored_per_signal();
  }
  for (std::size_t i = 0; i < features_.size(); ++i)
    features_[i]->store({frame_, count}, sinks_[i], ranges_[i].begin, ranges_[i].end);
}

template class FrameStream<float>;
template class FrameStream<double>;

}  // namespace metalmom::stream
