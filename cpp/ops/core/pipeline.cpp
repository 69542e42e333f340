#include "ops/core/pipeline.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/ceil_div.hpp"
#include "base/stage.hpp"
#include "base/workers.hpp"
#include "base/workspace.hpp"
#include "dsp/decibel.hpp"
#include "dsp/simd/select.hpp"
#include "ops/core/chain.hpp"
#include "ops/core/spent_time.hpp"

namespace metalmom::ops {

namespace {

using Value = Tap::Value;
constexpr Index n_lanes = dsp::block_frames;

// How many of `rest`, from its first, have the same key as the first.
template <class T, class F>
std::size_t run_length(std::span<Consumer<T>* const> rest, F&& key) {
  const auto end = std::ranges::find_if(
      rest, [&](const auto* each) { return key(each->tap()) != key(rest[0]->tap()); });
  return static_cast<std::size_t>(end - rest.begin());
}

Index aligned(Index values) {
  return round_up(values, n_lanes);
}

// The powers of a block's frames. Those of prepared frames of float32 audio are rounded to float
// once they are made.
template <class T, class W, class S>
class BlockPowers {
 public:
  BlockPowers(const dsp::FrameTransform<W>& transform, const dsp::FrameSource<S>& source,
              const Block& block)
      : transform_(transform), source_(source), block_(block) {}

  void make(float power, T* lanes) const {
    if constexpr (std::is_same_v<S, T>) {
      if (block_.lanes == 1)
        transform_.power_row(source_, block_.first, power, lanes);
      else
        transform_.power_block(source_, block_.first, block_.count, power, lanes);
    } else {
      const Index n_values = transform_.n_bins() * block_.lanes;
      const Lent<S> wide(n_values);
      BlockPowers<S, W, S>(transform_, source_, block_).make(power, wide.data());
      dsp::simd::kernels().narrow(wide, n_values, lanes);
    }
  }

  void raise(const T* squares, float power, T* lanes) const {
    if constexpr (!std::is_same_v<S, T>)
      make(power, lanes);
    else if (block_.lanes == 1)
      transform_.raise_row(source_, block_.first, squares, power, lanes);
    else
      transform_.raise(source_, block_.first, block_.count, squares, power, lanes);
  }

 private:
  const dsp::FrameTransform<W>& transform_;
  const dsp::FrameSource<S>& source_;
  const Block& block_;
};

}  // namespace

template <class T>
bool Pipeline<T>::fits(const Consumer<T>& one, const Consumer<T>& other) {
  const FramePlan &a = one.frames(), &b = other.frames();
  return one.y().data == other.y().data && a.batch == b.batch && a.n_samples == b.n_samples &&
         a.params.n_fft == b.params.n_fft && a.params.hop_length == b.params.hop_length &&
         a.pad() == b.pad() && a.params.pad_mode == b.params.pad_mode && a.n_frames == b.n_frames &&
         a.frame_length == b.frame_length && a.steps == b.steps &&
         one.window().size() == other.window().size() &&
         (one.window().data() == other.window().data() ||
          std::ranges::equal(one.window(), other.window()));
}

template <class T>
Pipeline<T>::Pipeline(std::vector<Consumer<T>*> consumers, Transforms& transforms,
                      KeptPowers<T> kept)
    : kept_(kept), consumers_(std::move(consumers)) {
  std::ranges::stable_sort(consumers_, {}, [](const auto* each) { return chain_of(each->tap()); });
  for (const auto* each : consumers_) {
    if (each->tap().value == Value::samples) continue;
    const Index n_fft = each->frames().params.n_fft;
    if (each->tap().wide && !wide_transform_)
      wide_transform_ = transforms.of<double>(n_fft, each->window());
    if (!each->tap().wide && !transform_) transform_ = transforms.of<T>(n_fft, each->window());
  }
  // Kept levels and powers stay in the layout that they are made in.
  takes_one_frame_ = !kept_.squares && std::ranges::all_of(consumers_, [](const auto* each) {
    return !each->keeps_levels() || each->takes_one_frame();
  });
  place_values();
}

template <class T>
void Pipeline<T>::place_values() {
  const Index per_signal = blocks().per_signal();
  const auto take = [this](Index values) {
    return std::exchange(stored_per_signal_, stored_per_signal_ + aligned(values));
  };
  places_.resize(consumers_.size());
  for (std::size_t first = 0; first < consumers_.size();) {
    const Consumers rest = std::span(consumers_).subspan(first);
    const std::size_t count = run_length(rest, chain_of);
    Place shared;
    const Tap& tap = rest[0]->tap();
    if (tap.value == Value::levels) {
      const Consumers same = rest.first(count);
      const auto keeping = std::ranges::count_if(same, &Consumer<T>::keeps_levels);
      shared.kept = keeping > 0;
      shared.exclusive = keeping < 2;
      shared.maxima = take(per_signal);
      if (shared.kept) shared.levels = take(per_signal * tap.basis->n_bands() * n_lanes);
    }
    for (std::size_t i = first; i < first + count; ++i) {
      places_[i] = shared;
      for (std::size_t k = first; k < i && !places_[i].filled; ++k)
        if (consumers_[i]->shares_storage(*consumers_[k])) {
          places_[i].own = places_[k].own;
          places_[i].filled = true;
        }
      if (!places_[i].filled) places_[i].own = take(consumers_[i]->storage_per_signal());
    }
    first += count;
  }
}

template <class T>
void Pipeline<T>::give(Consumer<T>* const& consumer, const Segment& segment, const Block& block,
                       const T* lanes) const {
  if (place(consumer).filled) return;
  const Stage stage(consumer->span_name(consumers_.size() == 1));
  const SpentTime time(consumer, Spending::own);
  T* const storage = segment.memory + segment.n_signals * place(consumer).own;
  if (!lanes || block.lanes == n_lanes || consumer->takes_one_frame())
    return consumer->consume(block, lanes, block.b - segment.b, storage);
  const Tap& tap = consumer->tap();
  const Index rows = tap.value == Value::powers ? consumer->frames().n_bins : tap.basis->n_bands();
  const Lent<T> spread(rows * n_lanes);
  dsp::load_lanes(lanes, rows, 1, rows, 1, spread.data());
  consumer->consume({block.b, block.first, block.count}, spread, block.b - segment.b, storage);
}

template <class T>
T* Pipeline<T>::kept_levels(const Segment& segment, const Block& block,
                            Consumer<T>* const& of) const {
  const Index i = (block.b - segment.b) * blocks().per_signal() + block.first / n_lanes;
  return segment.memory + segment.n_signals * place(of).levels +
         i * of->tap().basis->n_bands() * n_lanes;
}

template <class T>
void Pipeline<T>::consume_levels(const Segment& segment, const Block& block, T* bands,
                                 bool in_place, Consumers same) const {
  const Tap& tap = same[0]->tap();
  const Index values = tap.basis->n_bands() * block.lanes;
  const dsp::DecibelScale<T> scale{static_cast<T>(tap.amin), 1, false};
  const Index i = (block.b - segment.b) * blocks().per_signal() + block.first / n_lanes;
  const auto convert = [&](T* levels) {
    {
      const SpentTime time(same[0], Spending::levels);
      segment.memory[segment.n_signals * place(same[0]).maxima + i] =
          dsp::to_decibel(bands, values, scale, levels);
      if (tap.floor != dsp::no_floor)
        dsp::clamp_below<T>(levels, values, static_cast<T>(tap.floor), levels);
    }
    for (auto* const& consumer : same) give(consumer, segment, block, levels);
  };
  if (place(same[0]).kept) return convert(kept_levels(segment, block, same[0]));
  if (in_place) return convert(bands);
  const Lent<T> levels(values);
  convert(levels);
}

template <class T>
void Pipeline<T>::consume_bands(const Segment& segment, const Block& block, const T* powers,
                                Consumers same) const {
  const bool alone = same.size() == 1;
  const auto weighed = [&] {
    const SpentTime time(same[0], Spending::bands);
    return same[0]->weigh(block, powers);
  };
  if (alone && same[0]->tap().value == Value::bands &&
      (block.lanes == n_lanes || same[0]->takes_one_frame()) && weighed())
    return;
  const dsp::Basis& basis = *same[0]->tap().basis;
  const std::size_t n_direct = static_cast<std::size_t>(
      std::ranges::find(same, Value::levels, [](const auto* each) { return each->tap().value; }) -
      same.begin());
  Consumers levels = same.subspan(n_direct);
  const bool one_level = !levels.empty() && run_length(levels, chain_of) == levels.size();
  // If these bands only become levels that are kept, they are made in the memory where levels stay.
  const bool ahead = n_direct == 0 && one_level && place(levels[0]).kept;
  const Lent<T> scratch(ahead ? 0 : basis.n_bands() * block.lanes);
  T* const bands = ahead ? kept_levels(segment, block, levels[0]) : scratch.data();
  {
    const Stage stage(stage::bands);
    const SpentTime time(same[0], Spending::bands);
    if (block.lanes == 1) {
      dsp::apply_bands_to_one(basis, powers, bands, 1);
    } else {
      // The conversion to levels works on all lanes. Lanes without a frame repeat the first frame,
      // which does not change the maximum.
      const Index count = levels.empty() ? block.count : n_lanes;
      dsp::apply_bands(basis, powers, count, bands, n_lanes);
      for (Index band = 0; band < basis.n_bands() && block.count < count; ++band)
        std::fill(bands + band * n_lanes + block.count, bands + (band + 1) * n_lanes,
                  bands[band * n_lanes]);
    }
  }
  for (auto* const& consumer : same.first(n_direct)) give(consumer, segment, block, bands);
  while (!levels.empty()) {
    const std::size_t count = run_length(levels, chain_of);
    consume_levels(segment, block, bands, one_level, levels.first(count));
    levels = levels.subspan(count);
  }
}

template <class T>
void Pipeline<T>::consume_powers(const Segment& segment, const Block& block, const T* powers,
                                 Consumers same) const {
  while (!same.empty() && same[0]->tap().value == Value::powers) {
    give(same[0], segment, block, powers);
    same = same.subspan(1);
  }
  while (!same.empty()) {
    const std::size_t count = run_length(same, [](const Tap& tap) { return tap.basis; });
    consume_bands(segment, block, powers, same.first(count));
    same = same.subspan(count);
  }
}

template <class T>
T* Pipeline<T>::kept_block(const Block& block) const {
  if (!kept_.squares) return nullptr;
  const Index i = block.b * blocks().per_signal() + block.first / n_lanes;
  return kept_.squares + i * consumers_[0]->frames().n_bins * n_lanes;
}

template <class T>
void Pipeline<T>::consume_block(const Segment& segment, const Block& block,
                                T* const work[2]) const {
  Consumers rest = consumers_;
  while (!rest.empty() && rest[0]->tap().value == Value::samples) {
    give(rest[0], segment, block, nullptr);
    rest = rest.subspan(1);
  }
  while (!rest.empty()) {
    const Tap& tap = rest[0]->tap();
    const std::size_t n_wide = run_length(rest, [](const Tap& each) { return each.wide; });
    Consumers same = rest.first(n_wide);
    const auto power_of = [](const Tap& each) { return each.power; };
    const FramePlan& frames = rest[0]->frames();
    const auto source = frames.source(rest[0]->y(), block.b);
    const auto consume_same = [&]<class W, class S>(const dsp::FrameTransform<W>& transform,
                                                    const dsp::FrameSource<S>& from, T* kept) {
      const BlockPowers<T, W, S> powers(transform, from, block);
      // If all want one power, it comes straight from the transform. Otherwise, or if squares are
      // kept, powers are made from the squares.
      const bool one_power = !kept && run_length(same, power_of) == same.size();
      T* const base = kept ? kept : work[0];
      if (!kept || !kept_.filled) {
        const Stage stage(stage::transform);
        const SpentTime time(rest[0], tap.wide ? Spending::powers : Spending::frames);
        powers.make(one_power ? tap.power : 2.0F, base);
      }
      while (!same.empty()) {
        const std::size_t count = run_length(same, power_of);
        const float power = same[0]->tap().power;
        const bool raised = !one_power && power != 2;
        if (raised) {
          const SpentTime time(same[0], Spending::powers);
          powers.raise(base, power, work[1]);
        }
        consume_powers(segment, block, raised ? work[1] : base, same.first(count));
        same = same.subspan(count);
      }
    };
    if (frames.prepares()) {
      const dsp::PreparedFrames<T> prepared(source, frames.steps, frames.params.n_fft);
      consume_same(*wide_transform_, prepared.source(), nullptr);
    } else if (tap.wide) {
      consume_same(*wide_transform_, source, nullptr);
    } else {
      consume_same(*transform_, source, kept_block(block));
    }
    rest = rest.subspan(n_wide);
  }
}

template <class T>
void Pipeline<T>::consume(const Segment& segment, Index first_block, Index last_block) const {
  const Index n_values = consumers_[0]->frames().n_bins * lanes();
  const Lent<T> powers(n_values), raised(n_values);
  T* const work[2] = {powers, raised};
  const Index before = segment.b * blocks().per_signal();
  for (Index i = first_block; i < last_block; ++i) {
    Block block = blocks().at(before + i);
    block.lanes = lanes();
    consume_block(segment, block, work);
  }
}

template <class T>
T Finished<T>::maximum(Index signal) const {
  return dsp::largest_of(maxima + signal * blocks_per_signal, blocks_per_signal);
}
template <class T>
Index Pipeline<T>::finish_tasks(Index n_signals) const {
  Index tasks = 0;
  for (const auto* each : consumers_) tasks += each->finish_tasks(n_signals);
  return tasks;
}

template <class T>
void Pipeline<T>::finish(const Segment& segment, Index task) const {
  // Consumers with equal taps and as many tasks read the same levels. Their tasks alternate, so
  // that each level is read by all of them while it is in cache.
  Consumers rest = consumers_;
  while (!rest.empty()) {
    const Index tasks = rest[0]->finish_tasks(segment.n_signals);
    const auto other = std::ranges::find_if(rest, [&](const auto* each) {
      return chain_of(each->tap()) != chain_of(rest[0]->tap()) ||
             each->finish_tasks(segment.n_signals) != tasks;
    });
    const Index count = other - rest.begin();
    if (task < count * tasks)
      return finish(segment, rest[static_cast<std::size_t>(task % count)], task / count);
    task -= count * tasks;
    rest = rest.subspan(static_cast<std::size_t>(count));
  }
}

template <class T>
void Pipeline<T>::finish(const Segment& segment, Consumer<T>* const& consumer, Index task) const {
  const Place& at = place(consumer);
  const Tap& tap = consumer->tap();
  const auto part = [&](Index offset) { return segment.memory + segment.n_signals * offset; };
  const Stage stage(consumer->span_name(consumers_.size() == 1));
  const SpentTime time(consumer, Spending::own);
  consumer->finish(
      {segment.b, segment.n_signals, part(at.own), part(at.levels), part(at.maxima),
       blocks().per_signal(), tap.value == Tap::Value::levels ? tap.basis->n_bands() : 0,
       at.exclusive, lanes()},
      task);
}

template <class T>
void Pipeline<T>::end() const {
  for (auto* each : consumers_) {
    const SpentTime time(each, Spending::own);
    each->end();
  }
}

template struct Finished<float>;
template struct Finished<double>;
template class Pipeline<float>;
template class Pipeline<double>;

}  // namespace metalmom::ops
