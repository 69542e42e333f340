#include "ops/spectral/chroma.hpp"

#include <cmath>

#include "base/stage.hpp"
#include "base/workspace.hpp"
#include "dsp/frame_transform.hpp"
#include "ops/core/pipeline.hpp"
#include "ops/instantiate.hpp"

namespace metalmom::ops {

namespace {

// The norm of one frame, in double as librosa takes it.
template <class T>
double frame_norm(const T* bands, Index n_bands, Index stride, double norm) {
  double total = norm == -INFINITY ? INFINITY : 0.0;
  for (Index band = 0; band < n_bands; ++band) {
    const double magnitude = std::abs(static_cast<double>(bands[band * stride]));
    if (norm == INFINITY)
      total = std::max(total, magnitude);
    else if (norm == -INFINITY)
      total = std::min(total, magnitude);
    else if (norm == 0)
      total += magnitude > 0;
    else if (norm == 1)
      total += magnitude;
    else if (norm == 2)
      total += magnitude * magnitude;
    else
      total += std::pow(magnitude, norm);
  }
  if (norm == 2) return std::sqrt(total);
  if (std::isinf(norm) || norm == 0 || norm == 1) return total;
  return std::pow(total, 1 / norm);
}

template <class T>
class ChromaConsumer final : public Consumer<T> {
 public:
  ChromaConsumer(const ChromaSpectrogram::Plan& plan, const BandInputs<T>& in,
                 const ChromaSpectrogram::Out<T>& out)
      : Consumer<T>("chroma", plan.frames, in.y, in.window,
                    {Tap::Value::bands, false, static_cast<float>(plan.power), in.basis.get()}),
        basis_(in.basis),
        power_(plan.power),
        normalize_(plan.normalize),
        norm_(plan.norm),
        chroma_(out.chroma) {}

  bool takes_one_frame() const override { return true; }

  void consume(const Block& block, const T* bands, Index, T*) override {
    const Stage stage(stage::store);
    // No number where one of a frame's bands is none, as where its powers overflow.
    T sums[dsp::block_frames] = {};
    for (Index band = 0; band < chroma_.cols; ++band)
      for (Index i = 0; i < block.lanes; ++i) sums[i] += bands[band * block.lanes + i];
    for (Index i = 0; i < block.count; ++i) {
      if (!std::isfinite(sums[i])) [[unlikely]]
        store_loud(block, i);
      else
        store(bands + i, block.lanes, chroma_.row(block.b, block.first + i));
    }
  }

 private:
  void store(const T* bands, Index stride, T* frame) const {
    double length = normalize_ ? frame_norm(bands, chroma_.cols, stride, norm_) : 1.0;
    // Frames of silence are not divided.
    if (length < static_cast<double>(std::numeric_limits<T>::min())) length = 1.0;
    for (Index band = 0; band < chroma_.cols; ++band)
      frame[band] = static_cast<T>(static_cast<double>(bands[band * stride]) / length);
  }

  // A frame whose powers overflow, once more, from scaled samples. A norm takes the scale away
  // again, but for the one that counts.
  void store_loud(const Block& block, Index i) const {
    const Index n_bins = basis_->n_bins();
    const Lent<T> powers(n_bins * dsp::block_frames), bands(chroma_.cols);
    const auto transform = dsp::frame_transform<T>(this->frames().params.n_fft, this->window());
    int exponent = 0;
    transform->scaled_squares(this->frames().source(this->y(), block.b), block.first + i,
                              powers.data(), exponent);
    if (power_ != 2)
      for (Index bin = 0; bin < n_bins; ++bin)
        powers[bin * dsp::block_frames] =
            static_cast<T>(std::pow(powers[bin * dsp::block_frames], power_ / 2));
    dsp::apply_bands(*basis_, static_cast<const T*>(powers), 1, bands.data(), Index(1));
    T* const frame = chroma_.row(block.b, block.first + i);
    store(bands, 1, frame);
    if (normalize_ && norm_ != 0) return;
    const double half = std::exp2(power_ / 2 * exponent);  // the whole may be beyond a double
    for (Index band = 0; band < chroma_.cols; ++band)
      frame[band] = static_cast<T>(static_cast<double>(frame[band]) * half * half);
  }

  std::shared_ptr<const dsp::Basis> basis_;
  double power_;
  bool normalize_;
  double norm_;
  View<T> chroma_;
};

}  // namespace

template <class T>
std::unique_ptr<Consumer<T>> ChromaSpectrogram::consumer(const Plan& plan, const In<T>& in,
                                                         const Out<T>& out) {
  return std::make_unique<ChromaConsumer<T>>(plan, in, out);
}

template <class T>
void ChromaSpectrogram::run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out) {
  ChromaConsumer<T> consumer(plan, in, out);
  run_consumer(consumer);
}

METALMOM_INSTANTIATE_FRAME_OP(ChromaSpectrogram);

}  // namespace metalmom::ops
