#include "dsp/demo_song.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "base/pace.hpp"

namespace metalmom::dsp {

namespace {

constexpr double two_pi = 2 * std::numbers::pi;
constexpr int beats_per_bar = 4;

// A minor, F, C, G as MIDI notes: bass, then the triad above it.
constexpr std::array<std::array<int, 4>, 4> progression{
    {{45, 57, 60, 64}, {41, 57, 60, 65}, {48, 55, 60, 64}, {43, 55, 59, 62}}};

double hertz(int midi) {
  return 440 * std::exp2((midi - 69) / 12.0);
}

// A linear congruential generator with the constants of Numerical Recipes, so that the noise is the
// same everywhere. Each drum stroke has its own, seeded by its time: a longer song begins like a
// shorter one.
class Noise {
 public:
  explicit Noise(double begin) : state_(static_cast<std::uint32_t>(begin * demo_rate)) { next(); }
  double next() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<double>(state_) / 2147483648.0 - 1;
  }

 private:
  std::uint32_t state_;
};

class Song {
 public:
  Song(float* left, float* right, Index n) : left_(left), right_(right), n_(n) {
    for_chunks([](float* samples, Index count) { std::fill_n(samples, count, 0.0f); });
  }

  // Adds shape(i) for the samples i of [begin, begin + length), panned from -1 (left) to 1 (right).
  template <class F>
  void add(double begin, double length, double pan, F&& shape) {
    const auto first = static_cast<Index>(std::llround(begin * demo_rate));
    const Index last = std::min(n_, first + static_cast<Index>(length * demo_rate));
    const double left = 0.5 * (1 - pan), right = 0.5 * (1 + pan);
    for (Index i = first; i < last; ++i) {
      const double value = shape(i - first);
      left_[i] += static_cast<float>(left * value);
      right_[i] += static_cast<float>(right * value);
    }
    pace_.did(20 * (last - first));  // values that cost sines
  }

  // Harmonics 1/h with a soft attack and an exponential decay. The oscillators are rotations: two
  // multiply-adds a sample instead of a sine.
  void note(double begin, double length, double pan, int midi, double loudness, int harmonics) {
    for (int h = 1; h <= harmonics; ++h) {
      const double angle = two_pi * h * hertz(midi) / demo_rate;
      const double c = std::cos(angle), s = std::sin(angle);
      const double decay = std::exp(-2.5 / (length * demo_rate));
      double x = loudness / h, y = 0;
      add(begin, length, pan, [&](Index i) {
        const double attack = std::min(1.0, static_cast<double>(i) / (0.01 * demo_rate));
        const double next = (c * x - s * y) * decay;
        y = (s * x + c * y) * decay;
        x = next;
        return attack * y;
      });
    }
  }

  // A sine that falls from 150 to 50 Hz.
  void kick(double begin) {
    double phase = 0;
    add(begin, 0.25, 0, [&](Index i) {
      const double t = static_cast<double>(i) / demo_rate;
      phase += two_pi * (50 + 100 * std::exp(-t / 0.03)) / demo_rate;
      return 0.9 * std::exp(-t / 0.08) * std::sin(phase);
    });
  }

  void snare(double begin) {
    Noise noise(begin);
    add(begin, 0.2, 0.1, [&](Index i) {
      const double t = static_cast<double>(i) / demo_rate;
      return 0.5 * std::exp(-t / 0.05) * (noise.next() + 0.5 * std::sin(two_pi * 190 * t));
    });
  }

  // Differences of noise have little energy below a few kHz.
  void hat(double begin) {
    Noise noise(begin);
    double previous = 0;
    add(begin, 0.06, -0.3, [&](Index i) {
      const double value = noise.next(), high = value - previous;
      previous = value;
      return 0.12 * std::exp(-static_cast<double>(i) / (0.015 * demo_rate)) * high;
    });
  }

  void clamp() {
    for_chunks([](float* samples, Index count) {
      for (Index i = 0; i < count; ++i) samples[i] = std::clamp(samples[i], -1.0f, 1.0f);
    });
  }

 private:
  template <class F>
  void for_chunks(F&& body) {
    constexpr Index chunk = 1 << 16;
    for (float* const channel : {left_, right_})
      for (Index first = 0; first < n_; first += chunk) {
        const Index count = std::min(chunk, n_ - first);
        body(channel + first, count);
        pace_.did(count);
      }
  }

  float *left_, *right_;
  Index n_;
  Pace pace_;
};

}  // namespace

void demo_song(double seconds, float* left, float* right) {
  Song song(left, right, demo_samples(seconds));
  const double beat = 60 / demo_tempo;
  for (int i = 0; i * beat < seconds; ++i) {
    const double at = i * beat;
    const auto& chord = progression[static_cast<std::size_t>(i / beats_per_bar) % 4];
    const bool on_two_or_four = i % 2;
    on_two_or_four ? song.snare(at) : song.kick(at);
    song.hat(at);
    song.hat(at + beat / 2);
    song.note(at, 0.9 * beat, 0, chord[0], 0.35, 4);
    if (i % beats_per_bar == 0) {
      for (std::size_t k = 1; k < chord.size(); ++k)
        song.note(at, beats_per_bar * beat, 0.3 * (static_cast<double>(k) - 2), chord[k], 0.15, 3);
    }
  }
  song.clamp();
}

}  // namespace metalmom::dsp
