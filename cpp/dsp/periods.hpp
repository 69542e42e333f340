// Periods of frames: YIN (de Cheveigne and Kawahara 2002) and the candidates of its probabilistic
// variant (Mauch and Dixon 2014).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/view.hpp"
#include "dsp/frame_transform.hpp"

namespace metalmom::dsp {

// Periods in samples, both ends included: 1 <= first < last < the length of a frame.
struct PeriodRange {
  Index first, last;
  Index size() const { return last - first + 1; }
};

// Samples of a transform into which a frame and its longest period fit, so that no lag wraps
// around: a power of two.
Index period_transform_size(Index frame_length, Index max_period);

// The cumulative mean normalized difference function of frames, from their autocorrelations in T.
template <class T>
class PeriodDifferences {
 public:
  PeriodDifferences(Index frame_length, PeriodRange periods);

  PeriodRange periods() const { return periods_; }

  // differences[i * 16 + lane] of period first + i, of the frames [first, first + count), at most
  // 16; other lanes are those of silence.
  void block(const FrameSource<T>& source, Index first, Index count, T* differences) const;

 private:
  Index frame_length_;
  PeriodRange periods_;
  std::shared_ptr<const FrameTransform<T>> transform_;
};

// The vertex of the parabola through a value and its neighbours, as a distance from the middle one.
// 0 at the ends, and where it would lie beyond a neighbour. `differences`: one lane of a block.
template <class T>
double parabolic_shift(const T* differences, Index n, Index at);

// For each lane the frequency of the first trough below the threshold; without one, that of the
// least value.
template <class T>
void choose_frequencies(const T* differences, PeriodRange periods, double threshold, double sr,
                        double* f0);

// How the troughs of a frame share its probability (Mauch and Dixon 2014).
struct TroughModel {
  // ascending; the first is the lower end of the range and no threshold
  std::span<const double> thresholds;
  std::span<const double> weights;  // the probability of each threshold but the first
  double boltzmann = 2;             // exponent of the distribution that favours earlier troughs
  // the share of thresholds that no trough is below, given to the least trough
  double no_trough = 0.01;
};

// A period and its probability; periods ascend.
struct PeriodCandidate {
  Index index;  // counted from the first period of the range
  double probability;
};

// Replaces `found` by the candidates of one lane; none for a frame without troughs. Probabilities
// are rounded to T, as librosa keeps them. Keeps its working memory from call to call.
template <class T>
class TroughCandidates {
 public:
  explicit TroughCandidates(const TroughModel& model);
  void find(const T* differences, Index n, std::vector<PeriodCandidate>& found);

 private:
  struct Trough {
    Index index, entry;  // `entry`: the first threshold that the trough is below
    T height;
  };
  void add_shares(std::vector<double>& probabilities) const;

  TroughModel model_;
  std::vector<double> weight_below_;  // the sum of the weights before each threshold
  std::vector<double> decay_, scale_;
  std::vector<Trough> troughs_;
  std::vector<Index> entries_;
  std::vector<double> probabilities_;
};

}  // namespace metalmom::dsp
