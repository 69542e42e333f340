// How long the blocks of a stream take, and how long they last: counted at every block by the
// thread whose turn it is, and read by any thread, but not while the budget is set (by callers that
// hold Python's lock).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/clock.hpp"
#include "base/index.hpp"

namespace metalmom::stream {

class Meter {
 public:
  // Times are counted in units of 1/1024 us, so that their powers of two are those of microseconds.
  static constexpr double units_a_second = 1024e6;
  // A bin for each eighth of a power of two, up to four minutes and more.
  static constexpr int bins_a_power = 8, n_powers = 38, n_bins = n_powers * bins_a_power;

  struct Report {
    Index blocks = 0, late = 0, samples = 0;
    double seconds = 0, worst = 0;  // of processing
    bool has_budget = false;        // whether it is known how long blocks last
    double lasted = 0;              // all of them, in seconds
    std::array<Index, n_bins> bins{};

    double mean() const { return seconds / static_cast<double>(std::max<Index>(blocks, 1)); }
    double budget() const { return lasted / static_cast<double>(std::max<Index>(blocks, 1)); }
    double share() const { return lasted > 0 ? seconds / lasted : 0; }
    // Seconds within which so large a share of the blocks was done, to an eighth.
    double within(double share) const {
      Index left =
          std::max<Index>(static_cast<Index>(std::ceil(share * static_cast<double>(blocks))), 1);
      for (int bin = 0; bin < n_bins; ++bin)
        if ((left -= bins[static_cast<std::size_t>(bin)]) <= 0) return std::min(end_of(bin), worst);
      return worst;
    }
    // Blocks that took from 2^power us to twice that.
    Index of_power(int power) const {
      const auto first = bins.begin() + (power - first_power) * bins_a_power;
      Index sum = 0;
      for (auto bin = first; bin != first + bins_a_power; ++bin) sum += *bin;
      return sum;
    }
  };
  // The first bins are shorter times, each a unit.
  static constexpr int first_power = 2 - 10;

  // A block lasts `seconds_a_block`, and `count / rate` where there is a rate. Begins anew.
  void set_budget(double rate, double seconds_a_block) {
    rate_ = rate;
    units_a_sample_ = rate > 0 ? units_a_second / rate : 0;
    units_a_block_ = seconds_a_block * units_a_second;
    samples_of_budget_ = -1;
    restart();
  }
  double rate() const { return rate_; }
  bool has_budget() const { return units_a_block_ + units_a_sample_ > 0; }
  Index late() const { return late_.load(relaxed); }

  void restart() {
    for (auto* each : {&late_, &samples_, &units_, &worst_}) each->store(0, relaxed);
    for (auto& bin : bins_) bin.store(0, relaxed);
  }

  struct Counted {
    Index ns;
    bool is_late;  // it took longer than it lasts
  };
  // Counts a block that took so many ticks. Two readings of the clock cost 20 ns of the 30 that a
  // block's report may take; this has to fit into the rest.
  Counted count(std::int64_t ticks, Index samples) {
    if (samples != samples_of_budget_) [[unlikely]]
      budget_ = budget_of(samples);
    auto taken = static_cast<std::uint64_t>(ticks);
    if (taken > most_ticks) [[unlikely]]
      taken = ticks < 0 ? 0 : most_ticks;  // clocks of two cores may differ a little
    const auto units = static_cast<Index>((taken * units_a_tick_) >> tick_bits);
    add(samples_, samples);
    add(units_, units);
    add(bins_[static_cast<std::size_t>(bin_of(units))], 1);
    if (units > worst_.load(relaxed)) [[unlikely]]
      worst_.store(units, relaxed);
    const bool is_late = units > budget_;
    if (is_late) [[unlikely]]
      add(late_, 1);
    return {units * 1000 >> 10, is_late};
  }

  Report report() const {
    Report found;
    for (std::size_t i = 0; i < n_bins; ++i) found.blocks += found.bins[i] = bins_[i].load(relaxed);
    found.late = late_.load(relaxed);
    found.samples = samples_.load(relaxed);
    found.seconds = static_cast<double>(units_.load(relaxed)) / units_a_second;
    found.worst = static_cast<double>(worst_.load(relaxed)) / units_a_second;
    found.has_budget = has_budget();
    found.lasted = (units_a_block_ * static_cast<double>(found.blocks) +
                    units_a_sample_ * static_cast<double>(found.samples)) /
                   units_a_second;
    return found;
  }

 private:
  // One thread writes at a time, so that no addition is lost.
  using Count = std::atomic<Index>;
  static constexpr auto relaxed = std::memory_order_relaxed;
  static void add(Count& count, Index more) { count.store(count.load(relaxed) + more, relaxed); }

  // Four minutes of ticks of 0.44 ns, or nine where a tick is a nanosecond: their units, at most
  // two a tick, have bins, and the product fits into 64 bits.
  static constexpr int tick_bits = 23;
  static constexpr std::uint64_t most_ticks = (std::uint64_t{1} << 39) - 1;
  // Most blocks are as long as the one before.
  [[gnu::noinline]] Index budget_of(Index samples) {
    samples_of_budget_ = samples;
    constexpr double forever = 0x1p62;
    if (!has_budget()) return static_cast<Index>(forever);
    return static_cast<Index>(
        std::min(units_a_block_ + units_a_sample_ * static_cast<double>(samples), forever));
  }
  // The first eight bins are a unit each. Then the three bits behind the first one choose among the
  // bins of a power.
  static Index bin_of(Index units) {
    const int shift = 60 - std::countl_zero(static_cast<std::uint64_t>(units | bins_a_power));
    return shift * bins_a_power + (units >> shift);
  }
  static double end_of(int bin) {
    if (bin < bins_a_power) return (bin + 1) / units_a_second;
    return std::ldexp(bins_a_power + bin % bins_a_power + 1, bin / bins_a_power - 1) /
           units_a_second;
  }

  const std::uint64_t units_a_tick_ =
      static_cast<std::uint64_t>(std::ldexp(ns_per_tick() * units_a_second * 1e-9, tick_bits));
  Index samples_of_budget_ = -1, budget_ = 0;
  double rate_ = 0, units_a_sample_ = 0, units_a_block_ = 0;
  Count late_{0}, samples_{0}, units_{0}, worst_{0};
  std::array<Count, n_bins> bins_{};
};

}  // namespace metalmom::stream
