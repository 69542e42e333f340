#include "stream/peak_stream.hpp"

#include <algorithm>

namespace metalmom::stream {

template <class T>
PeakStream<T>::PeakStream(const dsp::PeakRule& rule, SharedTurns turns)
    : rule_(rule), turns_(std::move(turns)) {
  // twice what is looked at, so that it is moved to the beginning seldom
  const Index looked_at = std::min(before(), most_kept) + std::min(ahead(), most_kept) + 1;
  kept_.reserve(static_cast<std::size_t>(2 * looked_at));
}

template <class T>
void PeakStream<T>::reset() {
  turns_->change();
  kept_.clear();
  first_ = next_ = 0;
  turns_->done();
}

template <class T>
void PeakStream<T>::push(T value) {
  if (kept_.size() == kept_.capacity()) {
    const Index past =
        std::clamp<Index>(std::min(next_, end()) - before() - first_, 0, std::ssize(kept_));
    kept_.erase(kept_.begin(), kept_.begin() + past);
    first_ += past;
  }
  kept_.push_back(value);
}

template class PeakStream<float>;
template class PeakStream<double>;

}  // namespace metalmom::stream
