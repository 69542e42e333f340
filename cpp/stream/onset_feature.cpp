#include "stream/onset_feature.hpp"

#include <algorithm>

#include "dsp/flux.hpp"

namespace metalmom::stream {

// Keeps levels: those of a run, and those of the `lag` frames before it, frame by frame. Frame t of
// the past lies at t % lag.
template <class T>
class OnsetFeature<T>::Levels final : public ops::Consumer<T> {
 public:
  Levels(const ops::OnsetStrength::Plan& plan, const ops::BandInputs<T>& in)
      : ops::Consumer<T>("onset strength", plan.frames, in.y, in.window,
                         {ops::Tap::Value::levels, false, static_cast<float>(plan.power),
                          in.basis.get(), plan.amin, plan.floor}),
        basis_(in.basis),
        n_bands_(plan.n_bands),
        lag_(plan.flux.params.lag),
        past_(static_cast<std::size_t>(plan.frames.batch * lag_ * n_bands_)),
        levels_(static_cast<std::size_t>(plan.frames.batch * n_bands_ * dsp::block_frames)) {}

  bool takes_one_frame() const override { return true; }

  void consume(const ops::Block& block, const T* levels, Index, T*) override {
    lanes_ = block.lanes;
    std::copy_n(levels, n_bands_ * lanes_, levels_of(block.b));
  }

  // Whether a run of one frame lies side by side.
  bool is_one_frame() const { return lanes_ == 1; }
  T* levels_of(Index channel) const {
    return levels_.data() + channel * n_bands_ * dsp::block_frames;
  }
  T* past_of(Index channel, Index frame) const {
    return past_.data() + (channel * lag_ + frame % lag_) * n_bands_;
  }

  // For each band a row of the `lag` frames before a run, and of the run's.
  void write_rows(Index channel, const Run& run, T* rows, Index stride) const {
    for (Index i = std::max<Index>(lag_ - run.first, 0); i < lag_; ++i) {
      const T* const past = past_of(channel, run.first + i);
      for (Index band = 0; band < n_bands_; ++band) rows[band * stride + i] = past[band];
    }
    const T* const levels = levels_of(channel);
    for (Index band = 0; band < n_bands_; ++band)
      std::copy_n(levels + band * lanes_, run.count, rows + band * stride + lag_);
  }

  void remember(const Run& run) {
    for (Index b = 0; b < this->frames().batch; ++b)
      for (Index i = std::max<Index>(run.count - lag_, 0); i < run.count; ++i) {
        const T* const levels = levels_of(b) + i;
        T* const past = past_of(b, run.first + i);
        if (lanes_ == 1)
          std::copy_n(levels, n_bands_, past);
        else
          for (Index band = 0; band < n_bands_; ++band) past[band] = levels[band * lanes_];
      }
  }

 private:
  std::shared_ptr<const dsp::Basis> basis_;
  Index n_bands_, lag_, lanes_ = dsp::block_frames;
  Buffer<T> past_, levels_;
};

template <class T>
OnsetFeature<T>::OnsetFeature(const ops::OnsetStrength::Plan& plan, const ops::BandInputs<T>& in)
    : plan_(plan),
      levels_(std::make_unique<Levels>(plan_, in)),
      rows_(static_cast<std::size_t>(plan.n_bands * (plan.flux.params.lag + dsp::block_frames))),
      flux_(static_cast<std::size_t>(plan.flux.rows_out() * dsp::block_frames)) {}

template <class T>
OnsetFeature<T>::~OnsetFeature() = default;

template <class T>
ops::Consumer<T>& OnsetFeature<T>::consumer() {
  return *levels_;
}

template <class T>
Index OnsetFeature<T>::known(const Progress& progress) const {
  const auto& params = plan_.flux.params;
  const Index whole = params.shift + std::max<Index>(progress.frames - params.lag, 0);
  if (!params.trim) return progress.frames > 0 ? whole : 0;
  return progress.ended ? progress.frames : std::min(whole, progress.frames_if_ended);
}

template <class T>
void OnsetFeature<T>::open(std::span<const Sink> sinks, Index begin, Index end) {
  const Index silent = std::min(plan_.flux.params.shift, end);
  for (Index b = 0; b < plan_.frames.batch; ++b)
    for (Index r = 0; r < plan_.flux.rows_out(); ++r)
      for (Index t = begin; t < silent; ++t) *sinks[0].at<T>(b, r, t - begin) = T(0);
}

template <class T>
void OnsetFeature<T>::store(const Run& run, std::span<const Sink> sinks, Index begin, Index end) {
  const auto& params = plan_.flux.params;
  // The frames of this run that have a frame `lag` before them, and the place of their flux in the
  // result. What is beyond the trimmed result is not wanted.
  const Index first = std::max(run.first, params.lag);
  const Index at = first - params.lag + params.shift;
  const Index count = std::min(run.first + run.count - first, end - at);
  for (Index b = 0; count > 0 && b < plan_.frames.batch; ++b) {
    if (levels_->is_one_frame() && params.max_size == 1 &&
        params.aggregate == dsp::FluxAggregate::mean)
      *sinks[0].at<T>(b, 0, at - begin) =
          dsp::mean_flux(static_cast<const T*>(levels_->levels_of(b)),
                         static_cast<const T*>(levels_->past_of(b, first)), plan_.n_bands);
    else
      store_rows(b, run, first, count, sinks[0], at - begin);
  }
  levels_->remember(run);
}

template <class T>
void OnsetFeature<T>::store_rows(Index channel, const Run& run, Index first, Index count,
                                 const Sink& sink, Index at) {
  const auto& params = plan_.flux.params;
  const Index stride = params.lag + dsp::block_frames;
  levels_->write_rows(channel, run, rows_.data(), stride);
  const dsp::FluxSource<T> source{rows_.data(), rows_.data(), plan_.n_bands,
                                  stride,       params.lag,   params.max_size};
  dsp::flux_block(source, first - run.first, count, params.aggregate, flux_.data(),
                  dsp::block_frames);
  for (Index r = 0; r < plan_.flux.rows_out(); ++r)
    for (Index i = 0; i < count; ++i)
      *sink.at<T>(channel, r, at + i) = flux_[static_cast<std::size_t>(r * dsp::block_frames + i)];
}

template class OnsetFeature<float>;
template class OnsetFeature<double>;

}  // namespace metalmom::stream
