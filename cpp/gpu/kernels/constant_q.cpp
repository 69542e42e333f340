#include "gpu/kernels/constant_q.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "gpu/kernels/decimation.hpp"
#include "gpu/kernels/groups.hpp"
#include "gpu/kernels/octave_layout.hpp"
#include "gpu/kernels/serial_table.hpp"
#include "shader/decimate.hpp"
#include "shader/octaves.hpp"

namespace metalmom::gpu {

namespace {

using Plan = ops::ConstantQ::Plan;

// Larger filters would fill the device's cache of tables.
constexpr double most_filter_values = 1 << 22;

// The number of halvings whose samples are the audio itself; -1 if the audio is first decimated and
// so is at no octave's rate. Samples of further halvings are kept, one rate after the other, in a
// row for each clip.
Index given_halvings(const Plan& plan) {
  return plan.params.early_halvings > 0 ? -1 : 0;
}

Index first_kept(const Plan& plan, Index halvings) {
  const Index first = given_halvings(plan) + 1;
  return std::accumulate(plan.lengths.begin() + first,
                         plan.lengths.begin() + std::max(halvings, first), Index(0));
}

Index kept_samples(const Plan& plan) {
  return first_kept(plan, std::ssize(plan.lengths));
}

Index length_at(const Plan& plan, Index halvings) {
  return halvings < 0 ? plan.n_samples : plan.lengths[static_cast<std::size_t>(halvings)];
}

void record_halving(Session& session, const Plan& plan, Index halvings, const Piece& piece,
                    Slice audio, Slice kept) {
  const Index from = halvings - 1;
  const bool of_audio = from == given_halvings(plan);
  const Slice taps = session.table("halving filter", {}, &halving_filter);
  const Index n_from = length_at(plan, from), n_to = length_at(plan, halvings);
  const DecimatePush push{static_cast<uint>(piece.n_clips),
                          static_cast<uint>(of_audio ? 0 : first_kept(plan, from)),
                          static_cast<uint>(of_audio ? n_from : kept_samples(plan)),
                          static_cast<uint>(n_from),
                          static_cast<uint>(first_kept(plan, halvings)),
                          static_cast<uint>(kept_samples(plan)),
                          static_cast<uint>(n_to)};
  const auto results = static_cast<double>(piece.n_clips * n_to);
  session.dispatch(
      shader::Decimate{},
      value_groups(n_to, decimate_threads * decimate_outputs, piece.n_clips, session.limits()),
      {.from = of_audio ? audio : kept, .taps = taps, .to = kept}, push,
      {nullptr, 12 * results, 4 * results * decimate_taps});
}

// The table of jobs for shaders/octaves.comp, eight words a job.
Slice job_table(Session& session, const Plan& plan, const dsp::OctaveBank& bank,
                const OctaveLayout& layout) {
  std::vector<std::uint32_t> words;
  for (const OctaveJob& job : layout.jobs) {
    const dsp::Octave& octave = bank.octaves[job.octave];
    const bool of_audio = octave.halvings == given_halvings(plan);
    for (const Index word :
         {of_audio ? Index(0) : first_kept(plan, octave.halvings), length_at(plan, octave.halvings),
          octave.hop_length, bank.n_fft(octave)})
      words.push_back(static_cast<std::uint32_t>(word));
    words.insert(words.end(), {job.first_four, job.first_bin, job.n_bins, 0});
  }
  return session.table("octave jobs", std::as_bytes(std::span(words)), [&] {
    std::vector<float> table;
    for (const std::uint32_t word : words) table.push_back(std::bit_cast<float>(word));
    return table;
  });
}

struct Jobs {
  std::size_t first, last;
};

}  // namespace

Reason Kernel<ops::ConstantQ>::supports(const Op::Plan& plan, const Limits& limits) {
  if (plan.n_samples == 0) return "clips without samples";
  const bool halves = plan.lengths.size() > 1 || plan.params.early_halvings > 0;
  if (halves && plan.params.res_type != dsp::Quality::high)
    return "halving the rate by another filter than soxr_hq's";
  // If the rate is divided by more than two at once, libsoxr begins with other filters, whose first
  // samples differ from ours.
  if (plan.params.early_halvings > 1) return "a rate that is first divided by more than two";
  if (plan.multiply_adds > most_filter_values) return "filters of more than 4 million values";
  if (plan.reach >= (Index(1) << 30)) return "a clip is longer than 2^30 samples";
  if (static_cast<std::size_t>(plan.n_samples) * sizeof(float) > limits.storage_range)
    return "a clip is larger than the device can bind to a kernel";
  const Index groups = std::max(plan.n_frames / octave_frames,
                                plan.n_samples / (decimate_threads * decimate_outputs));
  return groups >= limits.groups_x ? "a clip has too many frames" : nullptr;
}

void Kernel<ops::ConstantQ>::record(Session& session, const Op::Plan& plan, const Op::In<float>& in,
                                    const Piece& piece, const Slices& slices) {
  const auto layout = octave_layout(in.bank);
  const Slice audio = slices.in[0];
  const auto kept_values = static_cast<std::size_t>(piece.n_clips * kept_samples(plan));
  const Slice kept = kept_values ? session.scratch(kept_values * sizeof(float)) : audio;
  for (Index halvings = given_halvings(plan) + 1; halvings < std::ssize(plan.lengths); ++halvings)
    record_halving(session, plan, halvings, piece, audio, kept);

  const Slice table = job_table(session, plan, *in.bank, *layout);
  const Slice filters = serial_table(session, "octave filters", layout->serial, layout->filters);
  // Jobs at the rate of the audio read the audio, the others the kept samples: two dispatches.
  std::size_t own = 0;
  while (own < layout->jobs.size() &&
         in.bank->octaves[layout->jobs[own].octave].halvings == given_halvings(plan))
    ++own;
  const auto frames = static_cast<double>(piece.n_clips * plan.n_frames);
  for (const Jobs& jobs : {Jobs{0, own}, Jobs{own, layout->jobs.size()}}) {
    const auto n_jobs = static_cast<Index>(jobs.last - jobs.first);
    if (n_jobs == 0) continue;
    const Index stride = jobs.first < own ? plan.n_samples : kept_samples(plan);
    const OctavesPush push{static_cast<uint>(piece.n_clips),
                           static_cast<uint>(plan.n_frames),
                           static_cast<uint>(plan.n_bins),
                           static_cast<uint>(jobs.first),
                           static_cast<uint>(n_jobs),
                           static_cast<uint>(stride),
                           static_cast<uint>(plan.params.pad_mode)};
    const double share = static_cast<double>(n_jobs) / static_cast<double>(layout->jobs.size());
    session.dispatch(
        shader::Octaves{},
        value_groups(plan.n_frames, octave_frames, piece.n_clips * n_jobs, session.limits()),
        {.audio = jobs.first < own ? audio : kept,
         .jobs = table,
         .filters = filters,
         .spectrum = slices.out[0]},
        push,
        {nullptr,
         share * (4 * static_cast<double>(piece.n_clips * stride) +
                  8 * frames * static_cast<double>(plan.n_bins)),
         share * 2 * frames * plan.multiply_adds});
  }
}

}  // namespace metalmom::gpu
