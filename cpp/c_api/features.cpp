// metalmom_features: one feature of a stream of frames (stream/frame_stream.hpp).
#include <array>
#include <complex>

#include "base/buffer.hpp"
#include "base/finite.hpp"
#include "c_api/options.hpp"
#include "c_api/report.hpp"
#include "c_api/status.hpp"
#include "dsp/bases.hpp"
#include "dsp/windows.hpp"
#include "ops/core/stft.hpp"
#include "ops/rhythm/onset_strength.hpp"
#include "ops/spectral/all.hpp"
#include "stream/frame_feature.hpp"
#include "stream/frame_stream.hpp"
#include "stream/onset_feature.hpp"

using namespace metalmom;

// The members are in the order of their lives: a feature reads the arrays before it.
struct metalmom_features {
  std::vector<double> window, frequencies;
  std::shared_ptr<const dsp::Basis> basis;
  Buffer<float> samples;
  std::unique_ptr<stream::FrameStream<float>> stream;
  Index channels = 1, rows = 1;
  bool complex = false, wide = false;  // what its results are: of two numbers, of doubles
  Buffer<double> wide_frames;          // of a piece, of features that have doubles
  Index most_frames = 0;               // of a piece
  stream::Meter meter;
};

namespace {

using Features = metalmom_features;

// Longer input is taken in pieces, for which memory is there. The frames do not depend on it.
constexpr Index piece = 4096;

// More samples at once are a mistake: sums of them and of a position stay far from the largest
// number.
constexpr Index most_samples = Index{1} << 40;
constexpr Index most_length = Index{1} << 30;  // of a frame

ops::FrameParams read_frames(c_api::Options& options, std::string_view name_of_length) {
  ops::FrameParams frames;
  options.read_fields(frames, {"n_fft"});
  // Ops have the field of this name, and would read it.
  require(name_of_length == "n_fft" || !options.find("n_fft"), "options", "n_fft",
          std::string(name_of_length) + " of this feature");
  options.read(name_of_length, frames.n_fft, positive_integer);
  require(frames.n_fft <= most_length, name_of_length, frames.n_fft, "at most 2**30");
  check(frames);
  return frames;
}

void read_window(Features& made, c_api::Options& options, Index n_fft) {
  const auto name = options.find("window").value_or("hann");
  const auto shape = dsp::window_shape(name);
  require(shape && !dsp::has_parameter(*shape), "window", name,
          "a window without parameters, like hann");
  made.window.resize(static_cast<std::size_t>(n_fft));
  dsp::fill_window(*shape, 0, true, made.window);
}

void read_mels(Features& made, c_api::Options& options, double sr, Index n_fft) {
  dsp::MelFilters filters{.sr = sr, .n_fft = n_fft};
  options.read("n_mels", filters.n_mels, positive_integer);
  options.read("fmin", filters.fmin);
  options.read("fmax", filters.fmax);
  options.read("htk", filters.htk);
  check(filters);
  made.basis = std::make_shared<const dsp::Basis>(dsp::make_mel_filters(filters));
}

void read_chroma(Features& made, c_api::Options& options, double sr, Index n_fft) {
  dsp::ChromaFilters filters{.sr = sr, .n_fft = n_fft};
  options.read("n_chroma", filters.n_chroma, positive_integer);
  options.read("tuning", filters.tuning);
  check(filters);
  made.basis = std::make_shared<const dsp::Basis>(dsp::make_chroma_filters(filters));
}

// What one feature is made of: how its op is asked for, and what it reads beside the samples.
struct Maker {
  Features& made;
  c_api::Options& options;
  double sr = dsp::defaults::sr;
  ops::FrameParams frames;

  View<const float> y() {
    const Index window = stream::window_samples(frames);
    require(window <= most_samples / made.channels, "hop_length", frames.hop_length,
            "small enough for 16 frames in memory");
    if (made.samples.size() == 0)
      made.samples = Buffer<float>(static_cast<std::size_t>(made.channels * window));
    return {made.samples.data(), made.channels, 1, window};
  }

  // The parameters of an op for the stream's own memory, which is padded already.
  template <class Op>
  typename Op::Params params(std::initializer_list<std::string_view> but = {}) {
    typename Op::Params params;
    options.read_fields(params, but);
    static_cast<ops::FrameParams&>(params) = frames;
    static_cast<ops::FrameParams&>(params).center = false;
    static_cast<ops::FrameParams&>(params).pad_mode = dsp::PadMode::constant;
    return params;
  }

  template <class Op>
  void open(const typename Op::Params& params, const typename Op::template In<float>& in) {
    open_feature<Op>(std::make_unique<stream::FrameFeature<Op, float>>(Op::plan(params, in), in),
                     params, in);
  }

  template <class Op>
  void open_feature(std::unique_ptr<stream::Feature<float>> feature,
                    const typename Op::Params& params, const typename Op::template In<float>& in) {
    const auto out = Op::template outputs<float>(Op::plan(params, in));
    for_each_field<typename Op::template Out<float>>([&](const auto& each) {
      using Value = std::remove_pointer_t<decltype((out.*each.member).data)>;
      made.complex = std::is_same_v<Value, std::complex<float>>;
      made.wide = std::is_same_v<Value, double>;
      made.rows = each.frames_first ? (out.*each.member).cols : (out.*each.member).rows;
    });
    std::vector<std::unique_ptr<stream::Feature<float>>> features;
    features.push_back(std::move(feature));
    made.stream = std::make_unique<stream::FrameStream<float>>(
        frames, made.channels, made.samples.data(), std::move(features));
  }

  using ReadBasis = void(Features& made, c_api::Options& options, double sr, Index n_fft);
  ops::BandInputs<float> bands(ReadBasis* read_basis) {
    read_window(made, options, frames.n_fft);
    read_basis(made, options, sr, frames.n_fft);
    return {y(), made.window, made.basis};
  }
};

// What streams know of levels: nothing below the loudest.
constexpr double no_top_db = std::numeric_limits<double>::infinity();

void open_stft(Maker& maker) {
  read_window(maker.made, maker.options, maker.frames.n_fft);
  maker.open<ops::Stft>(maker.params<ops::Stft>(), {maker.y(), maker.made.window});
}

void open_mel(Maker& maker) {
  maker.open<ops::FilterbankSpectrogram>(maker.params<ops::FilterbankSpectrogram>(),
                                         maker.bands(read_mels));
}

void open_mfcc(Maker& maker) {
  auto params = maker.params<ops::Cepstrum>({"top_db", "floor"});
  params.top_db = no_top_db;
  maker.open<ops::Cepstrum>(params, maker.bands(read_mels));
}

void open_chroma(Maker& maker) {
  maker.open<ops::ChromaSpectrogram>(maker.params<ops::ChromaSpectrogram>(),
                                     maker.bands(read_chroma));
}

void open_onset(Maker& maker) {
  auto params = maker.params<ops::OnsetStrength>({"top_db", "floor", "shift", "aggregate", "trim"});
  params.top_db = no_top_db;
  params.shift = dsp::onset_shift(params.lag, params.n_fft, params.hop_length, maker.frames.center);
  const auto in = maker.bands(read_mels);
  maker.open_feature<ops::OnsetStrength>(
      std::make_unique<stream::OnsetFeature<float>>(ops::OnsetStrength::plan(params, in), in),
      params, in);
}

void open_rms(Maker& maker) {
  maker.open<ops::Rms>(maker.params<ops::Rms>(), {maker.y()});
}

void open_crossings(Maker& maker) {
  maker.open<ops::ZeroCrossingRate>(maker.params<ops::ZeroCrossingRate>(), {maker.y()});
}

template <dsp::Shape shape>
void open_shape(Maker& maker) {
  auto params = maker.params<ops::SpectralShape>({"shape"});
  params.shape = shape;
  read_window(maker.made, maker.options, maker.frames.n_fft);
  const Index n_bins = maker.frames.n_fft / 2 + 1;
  for (Index bin = 0; bin < n_bins; ++bin)
    maker.made.frequencies.push_back(static_cast<double>(bin) * maker.sr /
                                     static_cast<double>(maker.frames.n_fft));
  ops::SpectralShape::In<float> in;
  in.y = maker.y();
  in.window = maker.made.window;
  in.freq = maker.made.frequencies;
  maker.open<ops::SpectralShape>(params, in);
}

struct Named {
  std::string_view name;
  void (*open)(Maker&);
  std::string_view name_of_length = "n_fft";  // what Python calls the length of its frames
};

constexpr Named known[] = {
    {"stft", open_stft},
    {"melspectrogram", open_mel},
    {"mfcc", open_mfcc},
    {"chroma_stft", open_chroma},
    {"onset_strength", open_onset},
    {"rms", open_rms, "frame_length"},
    {"zero_crossing_rate", open_crossings, "frame_length"},
    {"spectral_centroid", open_shape<dsp::Shape::centroid>},
    {"spectral_bandwidth", open_shape<dsp::Shape::bandwidth>},
    {"spectral_rolloff", open_shape<dsp::Shape::rolloff>},
    {"spectral_flatness", open_shape<dsp::Shape::flatness>},
};

Index take(Features& features, const stream::FrameStream<float>::Input& input, float* frames,
           Index room, Index at);

// Does on silence what is done once, so that `process` does it never: the memory of the pipeline,
// and looking at how many cores there are.
void warm_up(Features& made, Index n_fft) {
  const auto values = static_cast<std::size_t>(made.channels * made.most_frames * made.rows);
  std::vector<float> frames(made.complex ? 2 * values : values);
  const std::vector<float> silence(static_cast<std::size_t>(made.channels * piece));
  for (Index done = 0; done < n_fft + piece; done += piece)
    take(made, {silence.data(), piece, piece, false}, frames.data(), made.most_frames, 0);
  take(made, {silence.data(), piece, 0, true}, frames.data(), made.most_frames, 0);
  made.stream->reset();
}

std::unique_ptr<Features> opened(std::string_view feature, std::string_view words, Index channels) {
  const auto found = std::ranges::find(known, feature, &Named::name);
  require(found != std::end(known), "feature", feature, "one of those that metalmom.h lists");
  c_api::require_channels(channels);
  auto made = std::make_unique<Features>();
  made->channels = channels;
  c_api::Options options(words);
  Maker maker{*made, options};
  options.read("sr", maker.sr, strictly_positive);
  c_api::set_rate(made->meter, "sr", maker.sr);
  maker.frames = read_frames(options, found->name_of_length);
  found->open(maker);
  options.reject_unknown(feature);
  const Index at_first = made->stream->ready({nullptr, 0, piece, true}, 0).end;
  made->most_frames =
      at_first + maker.frames.n_fft / maker.frames.hop_length + 1;  // of earlier samples
  if (made->wide)
    made->wide_frames =
        Buffer<double>(static_cast<std::size_t>(made->rows * channels * made->most_frames));
  warm_up(*made, maker.frames.n_fft);
  return made;
}

// Frames of a piece, from frame `at` of the caller's memory on.
Index take(Features& features, const stream::FrameStream<float>::Input& input, float* frames,
           Index room, Index at) {
  const auto [begin, end] = features.stream->ready(input, 0);
  const Index rows = features.rows, numbers = features.complex ? 2 * rows : rows;
  stream::Sink sink;
  if (features.wide)
    sink = {features.wide_frames.data(), features.most_frames * rows, 1, rows};
  else if (features.complex)
    sink = {reinterpret_cast<std::complex<float>*>(frames) + at * rows, room * rows, 1, rows};
  else
    sink = {frames + at * rows, room * rows, 1, rows};
  const std::array sinks{std::span<const stream::Sink>(&sink, 1)};
  features.stream->process(input, sinks);
  for (Index c = 0; features.wide && c < features.channels; ++c)
    std::copy_n(features.wide_frames.data() + c * features.most_frames * rows, (end - begin) * rows,
                frames + (c * room + at) * numbers);
  return end - begin;
}

// How many frames a block completes. It fails if an error has stopped the stream.
metalmom_status find_ready(const Features& features, Index count, int last, int64_t& frames) {
  if (features.stream->ended()) return METALMOM_ENDED;
  return c_api::guarded([&] {
    const auto [begin, end] = features.stream->ready({nullptr, 0, count, last != 0}, 0);
    frames = end - begin;
  });
}

}  // namespace

extern "C" {

metalmom_status metalmom_features_open(const char* feature, const char* options, int64_t channels,
                                       metalmom_features** opened_features) {
  if (!opened_features) return c_api::bad_argument("opened must not be NULL");
  *opened_features = nullptr;
  return c_api::guarded([&] {
    require(feature != nullptr, "feature", "NULL", "one of those that metalmom.h lists");
    *opened_features = opened(feature, options ? options : "", channels).release();
  });
}

void metalmom_features_close(metalmom_features* features) {
  delete features;
}

int64_t metalmom_features_rows(const metalmom_features* features) {
  return features->complex ? 2 * features->rows : features->rows;
}

int64_t metalmom_features_ready(const metalmom_features* features, int64_t count, int last) {
  int64_t frames = 0;
  if (count >= 0 && count <= most_samples) find_ready(*features, count, last, frames);
  return frames;
}

metalmom_status metalmom_features_process(metalmom_features* features, const float* samples,
                                          int64_t count, int last, float* frames, int64_t room,
                                          int64_t* made) {
  if (made) *made = 0;
  if (!features || (count > 0 && !samples))
    return c_api::bad_argument("features and samples must not be NULL");
  if (count < 0 || count > most_samples)
    return c_api::bad_argument("count must be from 0 to 2**40");
  int64_t wanted = 0;
  if (const auto status = find_ready(*features, count, last, wanted); status != METALMOM_OK)
    return status;
  if (wanted > room || (wanted > 0 && !frames)) return METALMOM_NO_ROOM;
  if (!metalmom::all_finite(samples, features->channels * count)) return METALMOM_BAD_SAMPLES;
  return c_api::counted(features->meter, last ? 0 : count, [&] {
    Index done = 0, at = 0;
    do {
      const Index part = std::min(piece, count - done);
      at += take(*features, {samples + done, count, part, last != 0 && done + part == count},
                 frames, room, at);
      done += part;
    } while (done < count);
    if (made) *made = at;
  });
}

void metalmom_features_reset(metalmom_features* features) {
  features->stream->reset();
  features->meter.restart();
}

metalmom_status metalmom_features_report(const metalmom_features* features,
                                         metalmom_report* report) {
  if (!features) return c_api::bad_argument("features must not be NULL");
  return c_api::fill_report(features->meter, report);
}

}  // extern "C"
