// What calls took in this process, beside what was predicted of them.
//
// The rates behind the predictions are measured on one op, and outlive processes. Other ops, other
// sizes, and a machine in another state than then take up to two and a half times as long, or as
// short. So calls are compared with their predictions, and the ratios correct what is predicted for
// calls of the same kind.
#pragma once

#include <compare>
#include <string_view>

#include "base/view.hpp"
#include "dispatch/cost_model.hpp"

namespace metalmom::dispatch {

// Calls that are about as far from their predictions.
struct Kind {
  std::string_view op;
  int magnitude = 0;  // of a call's work: steps of a factor of four
  bool is_many = false;  // clips by themselves, side by side
  int threads = 1;
  Index n_devices = 1;
  auto operator<=>(const Kind&) const = default;
};
Kind kind_of(std::string_view op, const Load& load, int threads, Index n_devices);

enum class Side : std::uint8_t { cpu, gpu };

struct Judgement {
  Side side = Side::cpu;
  const char* reason = "";
  double cpu_ms = 0, gpu_ms = 0;  // the predictions, corrected
};

// Chooses by corrected predictions. Another side than the usual one must be better by a margin, a
// smaller one where both have been timed. A side that has not been timed is tried, up to three times,
// once the other one has taken several times what a try is predicted to take. `is_only_asked`: no call
// follows, and nothing is noted.
Judgement judge(const Kind& kind, double cpu_ms, double gpu_ms, bool is_only_asked = false);

// A call took so long on a side. The first one of a kind warms up and does not count.
void note_taken(const Kind& kind, Side side, double predicted_ms, double taken_ms);

void forget_experience();

}  // namespace metalmom::dispatch
