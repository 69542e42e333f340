#include "stream/onset_feature.hpp"

#include <algorithm>

#include "dsp/flux.hpp"

namespace metalmom::stream {

// Keeps levels: for each band a row of the `lag` frames before a run and of the run's up to 16
// frames.
template <class T>
class OnsetFeature<T>::Levels final : public ops::Consumer<T> {
 public:
  Levels(const ops::OnsetStrength::Plan& plan, const ops::BandInputs<T>& in)
      : ops::Consumer<T>("onset strength", plan.frames, in.y, in.window,
                         {ops::Tap::Value::levels, false, static_cast<float>(plan.power),
                          in.basis.get(), plan.amin}),
        basis_(in.basis),
        n_bands_(plan.n_bands),
        lag_(plan.flux.params.lag),
        rows_(static_cast<std::size_t>(plan.frames.batch * n_bands_ * stride())) {
    rows_.zero();
  }

  Index stride() const { return lag_ + dsp::block_frames; }
  const T* rows_of(Index channel) const { return rows_.data() + channel * n_bands_ * stride(); }

  bool takes_one_frame() const override { return true; }

  void consume(const ops::Block& block, const T* levels, Index, T*) override {
    T* const rows = rows_.data() + block.b * n_bands_ * stride() + lag_;
    for (Index band = 0; band < n_bands_; ++band)
      for (Index i = 0; i < block.count; ++i)
        rows[band * stride() + i] = levels[band * block.lanes + i];
  }

  // Moves the last frames of the run to the beginning of the rows, for the next run.
  void advance(Index count) {
    for (T* row = rows_.begin(); row != rows_.end(); row += stride())
      for (Index i = 0; i < lag_; ++i) row[i] = row[count + i];
  }

 private:
  std::shared_ptr<const dsp::Basis> basis_;
  Index n_bands_, lag_;
  Buffer<T> rows_;
};

template <class T>
OnsetFeature<T>::OnsetFeature(const ops::OnsetStrength::Plan& plan, const ops::BandInputs<T>& in)
    : plan_(plan),
      levels_(std::make_unique<Levels>(plan_, in)),
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
  // result.
  const Index first = std::max(run.first, params.lag), last = run.first + run.count;
  const Index at = first - params.lag + params.shift;
  for (Index b = 0; first < last && b < plan_.frames.batch; ++b) {
    const T* const levels = levels_->rows_of(b);
    const dsp::FluxSource<T> source{levels,     levels,         plan_.n_bands, levels_->stride(),
                                    params.lag, params.max_size};
    dsp::flux_block(source, first - run.first, last - first, params.aggregate, flux_.data(),
                    dsp::block_frames);
    // further frames are beyond the trimmed result
    const Index count = std::min(last - first, end - at);
    for (Index r = 0; r < plan_.flux.rows_out(); ++r)
      for (Index i = 0; i < count; ++i)
        *sinks[0].at<T>(b, r, at - begin + i) =
            flux_[static_cast<std::size_t>(r * dsp::block_frames + i)];
  }
  levels_->advance(run.count);
}

template class OnsetFeature<float>;
template class OnsetFeature<double>;

}  // namespace metalmom::stream
