#include "tools/main_job.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "base/cache.hpp"
#include "dsp/bases.hpp"
#include "dsp/demo_song.hpp"
#include "dsp/windows.hpp"
#include "graph/call.hpp"
#include "graph/run.hpp"
#include "io/load.hpp"
#include "ops/all.hpp"

namespace metalmom::tools {

namespace {

std::vector<double> hann(Index length) {
  std::vector<double> window(static_cast<std::size_t>(length));
  dsp::fill_window(dsp::WindowShape::hann, 0, true, window);
  return window;
}

const std::vector<double>& frame_window() {
  static const std::vector<double> window = hann(job_n_fft);
  return window;
}

const std::shared_ptr<const dsp::Basis>& mel_basis() {
  static const auto basis = std::make_shared<const dsp::Basis>(
      dsp::make_mel_filters({.sr = job_rate, .n_fft = job_n_fft}));
  return basis;
}

ops::BandInputs<float> bands_of(const View<const float>& y) {
  return {y, frame_window(), mel_basis()};
}

auto stft_of(const View<const float>& y) {
  return graph::bind<ops::Stft>({}, {y, frame_window()});
}

auto mel_of(const View<const float>& y) {
  return graph::bind<ops::FilterbankSpectrogram>({}, bands_of(y));
}

auto mfcc_of(const View<const float>& y) {
  ops::Cepstrum::Params params;
  params.n_mfcc = job_n_mfcc;
  return graph::bind<ops::Cepstrum>(params, bands_of(y));
}

auto tuning_of(const View<const float>& y) {
  return graph::bind<ops::TuningEstimate>({}, {y, frame_window()});
}

auto chroma_of(const View<const float>& y, const graph::Bound<ops::TuningEstimate>& found) {
  const double tuning = found.out().heard.data[0] ? found.out().tuning.data[0] : 0;
  static Cache<double, dsp::Basis> cache{"build chroma filters"};
  const auto basis = cache.get(tuning, [&] {
    return std::make_shared<const dsp::Basis>(
        dsp::make_chroma_filters({.sr = job_rate, .n_fft = job_n_fft, .tuning = tuning}));
  });
  return graph::bind<ops::ChromaSpectrogram>({}, {y, frame_window(), basis});
}

auto onset_of(const View<const float>& y, dsp::FluxAggregate aggregate) {
  ops::OnsetStrength::Params params;
  params.shift = dsp::onset_shift(params.lag, params.n_fft, params.hop_length, true);
  params.aggregate = aggregate;
  return graph::bind<ops::OnsetStrength>(params, bands_of(y));
}

auto tempo_of(const View<const float>& envelope) {
  const auto win_length = static_cast<Index>(dsp::defaults::ac_size * job_rate) / job_hop;
  static const std::vector<double> window = hann(win_length);
  return graph::bind<ops::GlobalTempo>({}, {{envelope, window}, {}});
}

auto beats_of(const View<const float>& envelope, const double& tempo) {
  return graph::bind<ops::BeatTrack>({}, {envelope, {&tempo, 1, 1, 1}});
}

bool is_silent(const View<const float>& envelope) {
  return std::ranges::all_of(envelope.flat(), [](float value) { return value == 0; });
}

// Shapes as NumPy prints them: bands and coefficients by frames, frames of bins transposed.
template <class T>
MainJob::Shape by_frames(const View<T>& bands) {
  return {bands.rows, bands.cols};
}
template <class T>
MainJob::Shape transposed(const View<T>& frames) {
  return {frames.cols, frames.rows};
}

}  // namespace

Song demo_song() {
  constexpr double seconds = 30;
  const auto n = static_cast<std::size_t>(dsp::demo_samples(seconds));
  std::vector<float> samples(2 * n);
  dsp::demo_song(seconds, samples.data(), samples.data() + n);
  std::vector<std::int16_t> pcm(2 * n);
  for (std::size_t i = 0; i < pcm.size(); ++i)
    pcm[i] = static_cast<std::int16_t>(samples[i / 2 + i % 2 * n] * 32767);
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
  io::Stream<float> stream(io::open_decoder(std::move(source), song_.name, io::SampleType::float32),
                           {.mono = true, .rate = job_rate});
  n_samples_ = io::read_all(stream, [&](Index samples) {
    samples_ = std::make_shared<Buffer<float>>(static_cast<std::size_t>(samples * stream.rows()));
    return samples_->data();
  });
  if (n_samples_ == 0) throw AudioError(song_.name + " holds no audio");
  return {n_samples_};
}

MainJob::Shape MainJob::stft() {
  const auto call = stft_of(y());
  call->run();
  return transposed(call->out().spectrum);
}

MainJob::Shape MainJob::mel() {
  const auto call = mel_of(y());
  call->run();
  return by_frames(call->out().bands);
}

MainJob::Shape MainJob::mfcc() {
  const auto call = mfcc_of(y());
  call->run();
  return by_frames(call->out().cepstra);
}

MainJob::Shape MainJob::chroma() {
  const auto tuning = tuning_of(y());
  tuning->run();
  const auto call = chroma_of(y(), *tuning);
  call->run();
  return transposed(call->out().chroma);
}

MainJob::Shape MainJob::onset() {
  const auto call = onset_of(y(), dsp::FluxAggregate::mean);
  call->run();
  return {call->out().flux.cols};
}

MainJob::Shape MainJob::beat() {
  const auto strength = onset_of(y(), dsp::FluxAggregate::median);
  strength->run();
  const View<const float> envelope = strength->out().flux;
  clear_beats();
  if (is_silent(envelope)) return {0};
  const auto tempo = tempo_of(envelope);
  tempo->run();
  tempo_ = tempo->out().bpm.data[0];
  const auto call = beats_of(envelope, tempo_);
  call->run();
  keep_beats(call->out().beats);
  return {static_cast<Index>(beats_.size())};
}

void MainJob::clear_beats() {
  beats_.clear();
  tempo_ = 0;
}

void MainJob::keep_beats(const View<const bool>& found) {
  for (Index frame = 0; frame < found.cols; ++frame)
    if (found.data[frame]) beats_.push_back(static_cast<double>(frame * job_hop) / job_rate);
}

namespace {

struct Part {
  std::string_view stage;
  const graph::Call& call;
  MainJob::Shape shape;
  std::vector<const graph::Call*> after = {};  // the calls of other waves that it waits for
};

// Milliseconds by a value's pipeline, its place in the chain, and its name.
using Times = std::map<std::tuple<int, std::size_t, std::string>, double>;

// The values of a chain in words, from the transform on: "frames", "power", "128 bands of power".
std::vector<std::string> named(const graph::Node& node) {
  std::vector<std::string> names;
  if (node.pipeline < 0) return names;
  std::string chain;
  for (const std::string& each : node.reads) {
    chain = chain.empty() ? each : each + " of " + chain;
    names.push_back(chain);
  }
  names.insert(names.begin(), "frames");
  return names;
}

class Waves {
 public:
  void run(const std::vector<Part>& parts) {
    std::vector<const graph::Call*> calls;
    for (const Part& part : parts) calls.push_back(&part.call);
    const auto found = graph::run_together(calls, session_, true);
    ++wave_;
    std::int64_t ticks = 0;  // of all nodes that ran in one pass
    for (const graph::Node& node : found) {
      if (node.error) std::rethrow_exception(node.error);
      ticks = std::accumulate(node.spent.begin(), node.spent.end(), ticks);
    }
    Times values;
    for (const graph::Node& node : found) {
      const auto names = named(node);
      for (std::size_t i = 0; ticks && i < names.size(); ++i)
        values[{node.pipeline, i, names[i]}] += part_of(node, node.spent[i], ticks);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) add(parts[i], found[i], ticks, values);
    for (const auto& [key, ms] : values)  // what an earlier wave has made takes no time
      if (ms > 0) graph_.values.push_back({wave_, std::get<std::string>(key), ms});
  }

  MainJob::Graph take() {
    const auto last = std::ranges::max_element(ends_, {}, &End::ms);
    graph_.critical_ms = last->ms;
    for (auto at = last - ends_.begin(); at >= 0; at = ends_[static_cast<std::size_t>(at)].after)
      graph_.nodes[static_cast<std::size_t>(at)].critical = true;
    return std::move(graph_);
  }

 private:
  // When a node ends if each waits only for what it needs, and which of those it waited for last.
  struct End {
    double ms = 0;
    std::ptrdiff_t after = -1;
  };

  static double part_of(const graph::Node& node, std::int64_t spent, std::int64_t ticks) {
    return took(node) * static_cast<double>(spent) / static_cast<double>(ticks);
  }
  static double took(const graph::Node& node) {
    return static_cast<double>(node.end_ns - node.begin_ns) / 1e6;
  }

  void add(const Part& part, const graph::Node& node, std::int64_t ticks, const Times& values) {
    const auto names = named(node);
    double own = took(node), length = own;
    if (node.pipeline >= 0 && ticks) {
      length = own = part_of(node, node.spent.back(), ticks);
      for (std::size_t i = 0; i < names.size(); ++i)
        length += values.at({node.pipeline, i, names[i]});
    } else if (node.pipeline >= 0) {
      own = std::numeric_limits<double>::quiet_NaN();
    }
    End end;
    for (const graph::Call* each : part.after) {
      const std::ptrdiff_t before = std::ranges::find(calls_, each) - calls_.begin();
      if (ends_[static_cast<std::size_t>(before)].ms >= end.ms)
        end = {ends_[static_cast<std::size_t>(before)].ms, before};
    }
    end.ms += length;
    calls_.push_back(&part.call);
    ends_.push_back(end);
    const std::string reads = node.pipeline < 0    ? ""
                              : node.reads.empty() ? "samples"
                                                   : names.back();
    graph_.nodes.push_back({wave_, part.stage, part.call.name(), reads, part.shape, own});
  }

  graph::Session session_;
  MainJob::Graph graph_;
  std::vector<const graph::Call*> calls_;
  std::vector<End> ends_;
  int wave_ = 0;
};

}  // namespace

MainJob::Graph MainJob::graph() {
  Waves waves;
  const auto stft = stft_of(y());
  const auto mel = mel_of(y());
  const auto mfcc = mfcc_of(y());
  const auto tuning = tuning_of(y());
  tuning->own_audio(samples_);
  const auto onset = onset_of(y(), dsp::FluxAggregate::mean);
  const auto strength = onset_of(y(), dsp::FluxAggregate::median);
  const View<const float> envelope = strength->out().flux;
  waves.run({{"stft", *stft, transposed(stft->out().spectrum)},
             {"mel", *mel, by_frames(mel->out().bands)},
             {"mfcc", *mfcc, by_frames(mfcc->out().cepstra)},
             {"chroma", *tuning, {}},
             {"onset", *onset, {onset->out().flux.cols}},
             {"beat", *strength, {envelope.cols}}});

  const auto chroma = chroma_of(y(), *tuning);
  const Part chroma_part{"chroma", *chroma, transposed(chroma->out().chroma), {tuning.get()}};
  clear_beats();
  if (is_silent(envelope)) {
    waves.run({chroma_part});
    return waves.take();
  }
  const auto tempo = tempo_of(envelope);
  waves.run({chroma_part, {"beat", *tempo, {}, {strength.get()}}});

  tempo_ = tempo->out().bpm.data[0];
  const auto beats = beats_of(envelope, tempo_);
  waves.run({{"beat", *beats, {envelope.cols}, {tempo.get()}}});
  keep_beats(beats->out().beats);
  return waves.take();
}

}  // namespace metalmom::tools
