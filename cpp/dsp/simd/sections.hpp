// Recursive filters as second-order sections (direct form II transposed; Oppenheim and Schafer,
// Discrete-Time Signal Processing, section 6.3), and energies of what they return: the pitch filter
// banks of dsp/sections.cpp, which run forwards and backwards (filtfilt).
//
// A sample of a recursive filter needs the one before it, so one filter cannot fill a vector. Hence
// the lanes are eight filters of one signal: out[i * 8 + lane]. Of each section the coefficients
// b0, b1, b2, a1, a2 and two states are eight values each. Up to four sections are run at a time, a
// sample through all of them before the next: coefficients and states of four fit the registers,
// and a sample goes through memory once for four sections. More sections follow in further passes,
// in place.
//
// All in double: poles lie close to the unit circle, where rounding errors of floats would grow.
#pragma once

#include "dsp/simd/tonal.hpp"
#include "dsp/simd/vec.hpp"

namespace metalmom::dsp::simd {
namespace {

using SectionVec = Vec<double, native_width<double>>;

// Runs `count` sections whose coefficients and states stay in registers. `step` +1 goes forwards in
// `out`, -1 backwards; `read(i, lane)` gives the input of step i.
template <int count, class Read>
[[gnu::always_inline]] inline void run_sections(const double* coefficients, double* state, Index n,
                                                Index step, double* out, Read read) {
  constexpr int W = native_width<double>;
  for (int lane = 0; lane < section_lanes; lane += W) {
    const auto value = [&](const double* table, int i) {
      return load<double, W>(table + i * section_lanes + lane);
    };
    SectionVec c[count][5], z[count][2];
#pragma GCC unroll 4
    for (int s = 0; s < count; ++s) {
#pragma GCC unroll 5
      for (int i = 0; i < 5; ++i) c[s][i] = value(coefficients, 5 * s + i);
      z[s][0] = value(state, 2 * s);
      z[s][1] = value(state, 2 * s + 1);
    }
    double* to = out + lane;
    for (Index i = 0; i < n; ++i, to += step * section_lanes) {
      SectionVec x = read(i, lane);
#pragma GCC unroll 4
      for (int s = 0; s < count; ++s) {
        const SectionVec y = c[s][0] * x + z[s][0];
        z[s][0] = c[s][1] * x + z[s][1] - c[s][3] * y;
        z[s][1] = c[s][2] * x - c[s][4] * y;
        x = y;
      }
      store<double, W>(to, x);
    }
#pragma GCC unroll 4
    for (int s = 0; s < count; ++s) {
      store<double, W>(state + 2 * s * section_lanes + lane, z[s][0]);
      store<double, W>(state + (2 * s + 1) * section_lanes + lane, z[s][1]);
    }
  }
}

template <class Read>
[[gnu::always_inline]] inline void run_up_to_four(Index count, const double* coefficients,
                                                  double* state, Index n, Index step, double* out,
                                                  Read read) {
  switch (count) {
    case 1:
      return run_sections<1>(coefficients, state, n, step, out, read);
    case 2:
      return run_sections<2>(coefficients, state, n, step, out, read);
    case 3:
      return run_sections<3>(coefficients, state, n, step, out, read);
    default:
      return run_sections<4>(coefficients, state, n, step, out, read);
  }
}

// Runs the sections from `first` on over what the sections before them have written.
[[gnu::always_inline]] inline void run_in_place(const Sections& sections, Index first, Index n,
                                                Index step, double* values) {
  constexpr int W = native_width<double>;
  for (; first < sections.n; first += 4)
    run_up_to_four(sections.n - first, sections.coefficients + first * 5 * section_lanes,
                   sections.state + first * 2 * section_lanes, n, step, values,
                   [&](Index i, int lane) {
                     return load<double, W>(values + i * step * section_lanes + lane);
                   });
}

void sections_forward(const Sections& sections, const double* x, Index n, double* out) {
  run_up_to_four(sections.n, sections.coefficients, sections.state, n, 1, out,
                 [&](Index i, int) { return broadcast<double, native_width<double>>(x[i]); });
  run_in_place(sections, 4, n, 1, out);
}

void sections_backward(const Sections& sections, double* values, Index n) {
  run_in_place(sections, 0, n, -1, values + (n - 1) * section_lanes);
}

// Four sums side by side, since an addition has to wait for the one before it.
void add_squares(const double* values, Index n, double* sums) {
  constexpr int W = native_width<double>;
  for (int lane = 0; lane < section_lanes; lane += W) {
    SectionVec part[4] = {};
    const double* from = values + lane;
    Index i = 0;
    for (; i + 4 <= n; i += 4)
#pragma GCC unroll 4
      for (int k = 0; k < 4; ++k, from += section_lanes) {
        const SectionVec v = load<double, W>(from);
        part[k] += v * v;
      }
    for (; i < n; ++i, from += section_lanes) {
      const SectionVec v = load<double, W>(from);
      part[0] += v * v;
    }
    const SectionVec sum = (part[0] + part[1]) + (part[2] + part[3]);
    store<double, W>(sums + lane, load<double, W>(sums + lane) + sum);
  }
}

}  // namespace
}  // namespace metalmom::dsp::simd
