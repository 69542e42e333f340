// Signals at another rate, by libsoxr (dsp/rate/resampler.hpp).
#pragma once

#include <memory>

#include "dsp/rate/polyphase.hpp"
#include "ops/op.hpp"

namespace metalmom::ops {

struct Resample {
  static constexpr std::string_view name = "resample";

  struct Params {
    double orig_sr = 1, target_sr = 1;
    dsp::Quality quality = dsp::Quality::high;
    Index size = -1;  // of a result, cut or continued with zeros; -1: as long as libsoxr's

    static constexpr auto fields() {
      return field_list(field("orig_sr", &Params::orig_sr, strictly_positive),
                        field("target_sr", &Params::target_sr, strictly_positive),
                        field("res_type", &Params::quality), field("size", &Params::size));
    }
  };

  template <class T>
  struct In {
    View<const T> y;  // (batch, 1, samples)

    static constexpr auto fields() { return field_list(signals("y", &In::y)); }
  };

  template <class T>
  struct Out {
    View<T> y;  // (batch, 1, size)

    static constexpr auto fields() { return field_list(signals("y", &Out::y)); }
  };

  struct Plan {
    Params params;
    Index batch = 0, n_samples = 0, size = 0;
    Index n_made = 0;  // samples of a result that are not only filled up
  };

  template <class T>
  static Plan plan(const Params& params, const In<T>& in);
  template <class T>
  static Out<T> outputs(const Plan& plan) {
    return {{nullptr, plan.batch, 1, plan.size}};
  }
  template <class T>
  static void run_cpu(const Plan& plan, const In<T>& in, const Out<T>& out);
  static Cost cost(const Plan& plan);
  // What it does as sums of products; null where it is none. Measured when it is first asked for.
  static std::shared_ptr<const dsp::Polyphase> filter(const Plan& plan) {
    return dsp::polyphase(plan.params.orig_sr, plan.params.target_sr, plan.params.quality);
  }
};

}  // namespace metalmom::ops
