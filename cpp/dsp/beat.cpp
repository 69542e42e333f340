#include "dsp/beat.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/pace.hpp"

namespace metalmom::dsp {

namespace {

// NumPy's summation: eight running sums over blocks of at most 128 values, halves added pairwise.
template <class T, class F>
T pairwise_sum(Index n, const F& value, Index offset = 0) {
  if (n < 8) {
    T sum = 0;
    for (Index i = 0; i < n; ++i) sum += value(offset + i);
    return sum;
  }
  if (n <= 128) {
    T r[8];
    for (int j = 0; j < 8; ++j) r[j] = value(offset + j);
    Index i = 8;
    for (; i < n - n % 8; i += 8)
      for (int j = 0; j < 8; ++j) r[j] += value(offset + i + j);
    T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) sum += value(offset + i);
    return sum;
  }
  Index half = n / 2;
  half -= half % 8;
  return pairwise_sum<T>(half, value, offset) + pairwise_sum<T>(n - half, value, offset + half);
}

// The Gaussian of a beat's neighbourhood at `offset` frames from its centre.
double beat_window(double offset, double frames_per_beat) {
  const double z = offset * 32.0 / frames_per_beat;
  return std::exp(-0.5 * (z * z));
}

// Frames to either side that the window reaches within n frames.
Index window_reach(double frames_per_beat, Index n) {
  return static_cast<Index>(std::min(frames_per_beat, static_cast<double>(n)));
}

// Smoothing with one tempo. Each sum is stored in T after every term, as the reference does, and
// frames are independent, so the inner loop runs across frames. Like the reference this leaves out
// the first onset.
template <class T>
void smooth_steady(const T* x, Index n, double frames_per_beat, T* score) {
  const Index reach = window_reach(frames_per_beat, n);
  std::vector<T> padded(static_cast<std::size_t>(n + 2 * reach), T(0));
  std::copy(x + 1, x + n, padded.begin() + reach + 1);
  std::fill(score, score + n, T(0));
  constexpr Index block = 256;
  Pace pace;
  for (Index first = 0; first < n; first += block) {
    const Index count = std::min(block, n - first);
    pace.did(2 * reach * count);
    for (Index k = -reach; k <= reach; ++k) {
      const double w = beat_window(static_cast<double>(k), frames_per_beat);
      const T* shifted = padded.data() + first + reach - k;
      T* sums = score + first;
      for (Index i = 0; i < count; ++i) sums[i] = static_cast<T>(sums[i] + w * shifted[i]);
    }
  }
}

template <class T>
T smooth_at(const T* x, Index n, Index i, double frames_per_beat) {
  const Index reach = window_reach(frames_per_beat, n);
  T sum = 0;
  for (Index k = std::max(-reach, i - n + 1); k <= reach && i - k >= 1; ++k)
    sum = static_cast<T>(sum + beat_window(static_cast<double>(k), frames_per_beat) * x[i - k]);
  return sum;
}

// -tightness * (log distance - log period)^2 for the distances a predecessor may have.
class Penalties {
 public:
  Penalties(double tightness, Index n) : tightness_(tightness), n_(n) {}

  void set(double frames_per_beat) {
    if (frames_per_beat == period_) return;
    period_ = frames_per_beat;
    first = std::max<Index>(1, window_reach(std::nearbyint(frames_per_beat / 2), n_));
    last = window_reach(2 * frames_per_beat, n_);
    values.resize(static_cast<std::size_t>(std::max<Index>(last - first + 1, 0)));
    const double log_period = std::log(frames_per_beat);
    for (Index d = first; d <= last; ++d) {
      const double z = std::log(static_cast<double>(d)) - log_period;
      values[static_cast<std::size_t>(d - first)] = tightness_ * (z * z);
    }
  }

  Index first = 1, last = 0;
  std::vector<double> values;

 private:
  double tightness_, period_ = -1;
  Index n_;
};

}  // namespace

template <class T>
T sample_deviation(std::span<const T> x) {
  const Index n = std::ssize(x);
  const T mean = pairwise_sum<T>(n, [&](Index i) { return x[i]; }) / static_cast<T>(n);
  const T squares = pairwise_sum<T>(n, [&](Index i) {
    const T d = x[i] - mean;
    return d * d;
  });
  return std::sqrt(squares / static_cast<T>(n - 1));
}

template <class T>
void beat_local_score(std::span<const T> onsets, std::span<const double> frames_per_beat,
                      T* normalized, T* score) {
  const Index n = std::ssize(onsets);
  const T scale = sample_deviation(onsets) + std::numeric_limits<T>::min();
  for (Index i = 0; i < n; ++i) normalized[i] = onsets[i] / scale;
  if (frames_per_beat.size() == 1 && frames_per_beat[0] > 0) {
    smooth_steady(normalized, n, frames_per_beat[0], score);
    return;
  }
  const bool steady = frames_per_beat.size() == 1;
  Pace pace;
  for (Index i = 0; i < n; ++i) {
    const double period = frames_per_beat[steady ? 0 : i];
    pace.did(2 * window_reach(period, n));
    score[i] = smooth_at(normalized, n, i, period);
  }
}

template <class T>
void beat_paths(std::span<const T> score, std::span<const double> frames_per_beat, double tightness,
                std::int32_t* backlink, double* total) {
  const Index n = std::ssize(score);
  double peak = score[0];
  for (const double s : score)
    if (s > peak || std::isnan(s)) peak = s;
  const double threshold = 0.01 * peak;
  const bool steady = frames_per_beat.size() == 1;
  Penalties penalties(tightness, n);
  bool before_first_beat = true;
  Pace pace;
  for (Index i = 0; i < n; ++i) {
    penalties.set(frames_per_beat[steady ? 0 : i]);
    pace.did(std::ssize(penalties.values));
    double best = -std::numeric_limits<double>::infinity();
    Index predecessor = -1;
    // The nearest frame first, so that it wins ties.
    const Index last = std::min(penalties.last, i);
    for (Index d = penalties.first; d <= last; ++d) {
      const double candidate = total[i - d] - penalties.values[d - penalties.first];
      if (candidate > best) {
        best = candidate;
        predecessor = i - d;
      }
    }
    total[i] = predecessor >= 0 ? score[i] + best : score[i];
    if (before_first_beat && score[i] < threshold) {
      backlink[i] = -1;
    } else {
      backlink[i] = static_cast<std::int32_t>(predecessor);
      before_first_beat = false;
    }
  }
}

void beat_backtrack(std::span<const std::int32_t> backlink, std::span<const double> total,
                    bool* beats) {
  const Index n = std::ssize(total);
  std::fill(beats, beats + n, false);
  // The last beat is the last local maximum of at least half the median of all local maxima.
  const auto is_peak = [&](Index i) {
    return i > 0 && total[i] > total[i - 1] && (i + 1 == n || total[i] >= total[i + 1]);
  };
  std::vector<double> peaks;
  for (Index i = 1; i < n; ++i)
    if (is_peak(i)) peaks.push_back(total[i]);
  Index tail = n - 1;
  if (!peaks.empty()) {
    const auto middle = peaks.begin() + std::ssize(peaks) / 2;
    std::nth_element(peaks.begin(), middle, peaks.end());
    double median = *middle;
    if (peaks.size() % 2 == 0) median = (*std::max_element(peaks.begin(), middle) + median) / 2;
    Index i = n - 1;
    while (i >= 0 && !(is_peak(i) && total[i] >= 0.5 * median)) --i;
    if (i >= 0) tail = i;
  }
  for (Index i = tail; i >= 0; i = backlink[i]) beats[i] = true;
}

template <class T>
void trim_beats(std::span<const T> score, bool trim, bool* beats) {
  const Index n = std::ssize(score);
  double threshold = 0;
  if (trim) {
    std::vector<double> at_beats(1, 0.0);
    for (Index i = 0; i < n; ++i)
      if (beats[i]) at_beats.push_back(score[i]);
    at_beats.insert(at_beats.end(), 3, 0.0);
    // A Hann window of five values (its ends are zero) over the scores at the beats. As in the
    // reference the mean is over two values more than there are beats.
    const Index count = std::min(std::ssize(at_beats) - 2, n);
    double squares = 0;
    for (Index j = 0; j < count; ++j) {
      const double smooth = 0.5 * at_beats[j] + at_beats[j + 1] + 0.5 * at_beats[j + 2];
      squares += smooth * smooth;
    }
    threshold = 0.5 * std::sqrt(squares / static_cast<double>(count));
  }
  for (Index i = 0; i < n && score[i] <= threshold; ++i) beats[i] = false;
  for (Index i = n - 1; i >= 0 && score[i] <= threshold; --i) beats[i] = false;
}

template float sample_deviation(std::span<const float>);
template double sample_deviation(std::span<const double>);
template void beat_local_score(std::span<const float>, std::span<const double>, float*, float*);
template void beat_local_score(std::span<const double>, std::span<const double>, double*, double*);
template void beat_paths(std::span<const float>, std::span<const double>, double, std::int32_t*,
                         double*);
template void beat_paths(std::span<const double>, std::span<const double>, double, std::int32_t*,
                         double*);
template void trim_beats(std::span<const float>, bool, bool*);
template void trim_beats(std::span<const double>, bool, bool*);

}  // namespace metalmom::dsp
