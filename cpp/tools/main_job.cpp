#include "tools/main_job.hpp"

#include <algorithm>
#include <cstring>

#include "base/cache.hpp"
#include "dispatch/dispatch.hpp"
#include "dsp/bases.hpp"
#include "dsp/demo_song.hpp"
#include "dsp/windows.hpp"
#include "io/load.hpp"
#include "ops/all.hpp"

namespace metalmom::tools {

namespace {

// An op's outputs in memory of their own.
template <class Op>
struct Result {
  typename Op::template Out<float> out;
  std::vector<Buffer<std::byte>> memory;
};

template <class Op>
Result<Op> compute(const typename Op::Params& params, const typename Op::template In<float>& in) {
  auto plan = Op::plan(params, in);
  ops::check_values<Op, float>(plan, in);
  Result<Op> result{Op::template outputs<float>(plan), {}};
  using Out = typename Op::template Out<float>;
  for_each_field<Out>([&](const auto& each) {
    auto& view = result.out.*each.member;
    using Value = std::remove_pointer_t<decltype(view.data)>;
    result.memory.emplace_back(static_cast<std::size_t>(view.size()) * sizeof(Value));
    view.data = reinterpret_cast<Value*>(result.memory.back().data());
  });
  dispatch::run<Op, float>(plan, in, result.out);
  return result;
}

std::vector<double> hann(Index length) {
  std::vector<double> window(static_cast<std::size_t>(length));
  dsp::fill_window(dsp::WindowShape::hann, 0, true, window);
  return window;
}

const std::vector<double>& frame_window() {
  static const std::vector<double> window = hann(job_n_fft);
  return window;
}

std::shared_ptr<const dsp::Basis> to_basis(const dsp::DenseMatrix& matrix) {
  return std::make_shared<const dsp::Basis>(matrix.values.data(), matrix.rows, matrix.cols);
}

const std::shared_ptr<const dsp::Basis>& mel_basis() {
  static const auto basis = to_basis(dsp::make_mel_filters({.sr = job_rate, .n_fft = job_n_fft}));
  return basis;
}

ops::BandInputs<float> bands_of(const View<const float>& y) {
  return {y, frame_window(), mel_basis()};
}

}  // namespace

Song demo_song() {
  const std::vector<float> samples = dsp::demo_song(30);
  std::vector<std::int16_t> pcm(samples.size());
  std::transform(samples.begin(), samples.end(), pcm.begin(),
                 [](float value) { return static_cast<std::int16_t>(value * 32767); });
  const auto rate = static_cast<std::uint32_t>(dsp::demo_rate);
  const auto size = static_cast<std::uint32_t>(pcm.size() * sizeof(pcm[0]));
  // The canonical 44-byte header: 16-bit PCM, two channels, four bytes a frame.
  const std::uint32_t riff_size = size + 36, fmt_size = 16, bytes_per_second = rate * 4;
  const std::uint16_t kind[] = {1, 2}, layout[] = {4, 16};
  Song song{"demo song", std::vector<std::byte>(44 + size)};
  std::byte* at = song.wav.data();
  const auto append = [&](const void* data, std::size_t bytes) {
    std::memcpy(at, data, bytes);
    at += bytes;
  };
  append("RIFF", 4);
  append(&riff_size, 4);
  append("WAVEfmt ", 8);
  append(&fmt_size, 4);
  append(kind, sizeof kind);
  append(&rate, 4);
  append(&bytes_per_second, 4);
  append(layout, sizeof layout);
  append("data", 4);
  append(&size, 4);
  append(pcm.data(), size);
  return song;
}

const std::array<MainJob::Stage, 7> MainJob::stages{{{"load", &MainJob::load},
                                                     {"stft", &MainJob::stft},
                                                     {"mel", &MainJob::mel},
                                                     {"mfcc", &MainJob::mfcc},
                                                     {"chroma", &MainJob::chroma},
                                                     {"onset", &MainJob::onset},
                                                     {"beat", &MainJob::beat}}};

MainJob::Shape MainJob::load() {
  auto source = song_.wav.empty() ? io::open_file(song_.name) : io::from_memory(song_.wav);
  io::Stream<float> stream(
      io::open_decoder(std::move(source), song_.name, io::SampleType::float32),
      {.mono = true, .rate = job_rate});
  n_samples_ = io::read_all(stream, [&](Index samples) {
    samples_ = Buffer<float>(static_cast<std::size_t>(samples * stream.rows()));
    return samples_.data();
  });
  if (n_samples_ == 0) throw AudioError(song_.name + " holds no audio");
  return {n_samples_};
}

MainJob::Shape MainJob::stft() {
  const auto result = compute<ops::Stft>({}, {y(), frame_window()});
  return {result.out.spectrum.cols, result.out.spectrum.rows};
}

MainJob::Shape MainJob::mel() {
  const auto result = compute<ops::FilterbankSpectrogram>({}, bands_of(y()));
  return {result.out.bands.rows, result.out.bands.cols};
}

MainJob::Shape MainJob::mfcc() {
  ops::Cepstrum::Params params;
  params.n_mfcc = job_n_mfcc;
  const auto result = compute<ops::Cepstrum>(params, bands_of(y()));
  return {result.out.cepstra.rows, result.out.cepstra.cols};
}

MainJob::Shape MainJob::chroma() {
  const auto found = compute<ops::TuningEstimate>({}, {y(), frame_window()});
  const double tuning = found.out.heard.data[0] ? found.out.tuning.data[0] : 0;
  static Cache<double, dsp::Basis> cache;
  const auto basis = cache.get(tuning, [&] {
    return to_basis(
        dsp::make_chroma_filters({.sr = job_rate, .n_fft = job_n_fft, .tuning = tuning}));
  });
  const auto result = compute<ops::ChromaSpectrogram>({}, {y(), frame_window(), basis});
  return {result.out.chroma.cols, result.out.chroma.rows};
}

namespace {

ops::OnsetStrength::Params onset_params(dsp::FluxAggregate aggregate) {
  ops::OnsetStrength::Params params;
  params.shift = dsp::onset_shift(params.lag, params.n_fft, params.hop_length, true);
  params.aggregate = aggregate;
  return params;
}

double estimate_tempo(const View<const float>& envelope) {
  const auto win_length = static_cast<Index>(dsp::defaults::ac_size * job_rate) / job_hop;
  static const std::vector<double> window = hann(win_length);
  return compute<ops::GlobalTempo>({}, {{envelope, window}, {}}).out.bpm.data[0];
}

}  // namespace

MainJob::Shape MainJob::onset() {
  const auto result =
      compute<ops::OnsetStrength>(onset_params(dsp::FluxAggregate::mean), bands_of(y()));
  return {result.out.flux.cols};
}

MainJob::Shape MainJob::beat() {
  const auto strength = compute<ops::OnsetStrength>(onset_params(dsp::FluxAggregate::median),
                                                    bands_of(y()));
  const View<const float> envelope = strength.out.flux;
  beats_.clear();
  tempo_ = 0;
  if (std::ranges::all_of(envelope.flat(), [](float value) { return value == 0; })) return {0};
  tempo_ = estimate_tempo(envelope);
  const auto found = compute<ops::BeatTrack>({}, {envelope, {&tempo_, 1, 1, 1}});
  for (Index frame = 0; frame < found.out.beats.cols; ++frame)
    if (found.out.beats.data[frame])
      beats_.push_back(static_cast<double>(frame * job_hop) / job_rate);
  return {static_cast<Index>(beats_.size())};
}

}  // namespace metalmom::tools
