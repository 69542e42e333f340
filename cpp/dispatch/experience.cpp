#include "dispatch/experience.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "base/fork.hpp"

namespace metalmom::dispatch {

namespace {

// A side that was never timed is chosen if it is predicted to take at most this share of the
// other's time.
constexpr double untimed_margin = 0.8;
// Between two sides that are known, so that noise does not move calls to and fro.
constexpr double known_margin = 0.95;
// A side is tried if it may take so many times as long as the other one: predictions err by that.
constexpr double worth_trying = 2.5;
constexpr int most_tries = 3;
// How many times as long as a try the other side must have been at work before: for the first try,
// and for further ones.
constexpr double spent_before_first = 4, spent_before_next = 16;

// Ratios of times to predictions on one side.
class Ratios {
 public:
  int count() const { return count_; }
  // The median of the last ones; 1 if there are none.
  double typical() const {
    const auto n = std::min<std::size_t>(static_cast<std::size_t>(count_), last_.size());
    if (n == 0) return 1;
    auto sorted = last_;
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(n));
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
  }
  // False for the first one.
  bool add(double ratio) {
    if (!std::exchange(is_warm_, true)) return false;
    last_[static_cast<std::size_t>(count_++) % last_.size()] = std::clamp(ratio, 0.05, 20.0);
    return true;
  }

 private:
  std::array<double, 5> last_{};
  int count_ = 0;
  bool is_warm_ = false;
};

struct Record {
  std::array<Ratios, 2> ratios;  // by side
  Side usual = Side::cpu;
  double spent_ms = 0;  // on the usual side since the last try of the other
};

struct Records {
  std::mutex mutex;
  std::map<Kind, Record> by_kind;
};
Records& records() {
  static auto* instance = new ForkLocal<Records>;
  return instance->get();
}

Side other(Side side) {
  return side == Side::cpu ? Side::gpu : Side::cpu;
}
std::size_t at(Side side) {
  return static_cast<std::size_t>(side);
}

// Between the sides as they are known, or predicted.
Side better(const Record& record, const std::array<double, 2>& ms) {
  const bool cpu_known = record.ratios[at(Side::cpu)].count() > 0;
  const bool gpu_known = record.ratios[at(Side::gpu)].count() > 0;
  const Side now = cpu_known && gpu_known ? record.usual
                   : gpu_known            ? Side::gpu
                                          : Side::cpu;
  const double needed = cpu_known && gpu_known ? known_margin : untimed_margin;
  return ms[at(other(now))] <= needed * ms[at(now)] ? other(now) : now;
}

// `predicted_ms`: of the side, not corrected, since what corrects it may have been one hiccup.
bool is_to_be_tried(const Record& record, Side side, double predicted_ms, double usual_ms) {
  const int known = record.ratios[at(side)].count();
  const double spent = known ? spent_before_next : spent_before_first;
  return record.ratios[at(other(side))].count() > 0 && known < most_tries &&
         predicted_ms < worth_trying * usual_ms && record.spent_ms >= spent * predicted_ms;
}

}  // namespace

Kind kind_of(std::string_view op, const Load& load, int threads, Index n_devices) {
  const double work = std::max(load.cost.flops, load.cost.bytes) / static_cast<double>(load.calls);
  const auto magnitude = static_cast<int>(std::log2(std::max(work, 1.0)) / 2);
  return {op, magnitude, load.calls > 1, threads, n_devices};
}

Judgement judge(const Kind& kind, double cpu_ms, double gpu_ms, bool is_only_asked) {
  Records& all = records();
  std::lock_guard lock(all.mutex);
  Record asked;
  if (const auto found = all.by_kind.find(kind); is_only_asked && found != all.by_kind.end())
    asked = found->second;
  Record& record = is_only_asked ? asked : all.by_kind[kind];
  const std::array<double, 2> ms{cpu_ms * record.ratios[at(Side::cpu)].typical(),
                                 gpu_ms * record.ratios[at(Side::gpu)].typical()};
  const Side side = better(record, ms);
  if (side != record.usual) record.spent_ms = 0;
  record.usual = side;
  Judgement judgement{side,
                      side == Side::gpu ? "predicted to be faster on the GPU"
                                        : "predicted to be faster on the CPU",
                      ms[0], ms[1]};
  if (is_to_be_tried(record, other(side), side == Side::cpu ? gpu_ms : cpu_ms, ms[at(side)])) {
    judgement.side = other(side);
    judgement.reason = "tried, to know what it takes";
  }
  return judgement;
}

void note_taken(const Kind& kind, Side side, double predicted_ms, double taken_ms) {
  if (predicted_ms <= 0) return;
  Records& all = records();
  std::lock_guard lock(all.mutex);
  Record& record = all.by_kind[kind];
  const bool counts = record.ratios[at(side)].add(taken_ms / predicted_ms);
  if (side == record.usual)
    record.spent_ms += taken_ms;
  else if (counts)
    record.spent_ms = 0;
}

void forget_experience() {
  Records& all = records();
  std::lock_guard lock(all.mutex);
  all.by_kind.clear();
}

}  // namespace metalmom::dispatch
