// The main job composed in C++: load, stft, mel, mfcc, chroma, onset, beat, with the results of
// `metalmom profile`. Stage by stage each stage makes its own calls; as one graph all calls that do
// not need one another's results run together and share transforms.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "base/view.hpp"
#include "dsp/defaults.hpp"

namespace metalmom::tools {

// librosa's defaults, but for the number of coefficients.
inline constexpr double job_rate = dsp::defaults::sr;
inline constexpr Index job_n_fft = dsp::defaults::n_fft, job_hop = dsp::defaults::hop_length;
inline constexpr Index job_n_mfcc = 13;

// Encoded audio: a path, or the demo song as a WAV file in memory.
struct Song {
  std::string name;
  std::vector<std::byte> wav;  // empty: `name` is a path
};
Song demo_song();

// One run. Each stage returns the shape of what it made, as NumPy would print it, and is a function
// of its own, so that Callgrind can count it alone (--toggle-collect='*MainJob::mel*').
class MainJob {
 public:
  explicit MainJob(const Song& song) : song_(song) {}

  using Shape = std::vector<Index>;
  Shape load();
  Shape stft();
  Shape mel();
  Shape mfcc();
  Shape chroma();
  Shape onset();
  Shape beat();

  struct Stage {
    const char* name;
    Shape (MainJob::*run)();
  };
  static const std::array<Stage, 7> stages;

  // What follows on load, as one graph with the same results: its nodes in the order they ran in,
  // with the values of frames that they share.
  struct Node {
    int wave;  // counted from 1; what depends on results of another wave runs after it
    std::string_view stage, op;
    std::string reads;  // of a block of frames; empty: it reads none
    Shape shape;
    double ms = 0;          // without what it reads; NaN where a device made all of a wave at once
    bool critical = false;  // on the longest chain of nodes that wait for one another
  };
  struct Value {
    int wave;
    std::string name;
    double ms;
  };
  struct Graph {
    std::vector<Node> nodes;
    std::vector<Value> values;
    double critical_ms = 0;
  };
  Graph graph();

  Index n_samples() const { return n_samples_; }
  double tempo() const { return tempo_; }
  const std::vector<double>& beats() const { return beats_; }  // seconds

 private:
  View<const float> y() const { return {samples_->data(), 1, 1, n_samples_}; }
  void clear_beats();
  void keep_beats(const View<const bool>& found);

  const Song& song_;
  std::shared_ptr<Buffer<float>> samples_;
  Index n_samples_ = 0;
  double tempo_ = 0;
  std::vector<double> beats_;
};

}  // namespace metalmom::tools
