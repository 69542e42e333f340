// The constants behind the cost model: measured, kept on disk, or typical.
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/fork.hpp"
#include "base/huge_pages.hpp"
#include "base/processor.hpp"
#include "base/timing.hpp"
#include "base/workers.hpp"
#include "dispatch/cost_model.hpp"
#include "dsp/bases.hpp"
#include "dsp/windows.hpp"
#include "gpu/device.hpp"
#include "gpu/kernels/all.hpp"
#include "gpu/run/run.hpp"
#include "gpu/vk/disk_cache.hpp"
#include "ops/spectral/filterbank.hpp"
#include "trace/trace.hpp"

namespace metalmom::dispatch {

namespace {

using Op = ops::FilterbankSpectrogram;

// A mel spectrogram with librosa's defaults.
constexpr Index n_fft = ops::FrameParams{}.n_fft, hop_length = ops::FrameParams{}.hop_length;

// Frames of a second of audio, of 30 s (one piece of a batch), and of the longest measurement.
constexpr Index second_frames = 43, piece_frames = 1292, most_frames = 4 * piece_frames;

// Audio, window and filters for all measurements, made once.
struct Material {
  std::vector<float> noise = std::vector<float>(most_frames * hop_length);
  std::vector<double> window = std::vector<double>(n_fft);
  std::shared_ptr<const dsp::Basis> mel;

  Material() {
    // One short stretch of noise, repeated: the generator needs each value for the next, so to
    // generate all of it would take longer than the measurements.
    constexpr std::size_t period = 16 * hop_length;
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < period; ++i) {
      state = state * 1664525u + 1013904223u;
      noise[i] = static_cast<float>(state >> 8) / (1 << 23) - 1;
    }
    for (std::size_t i = period; i < noise.size(); ++i) noise[i] = noise[i - period];
    dsp::fill_window(dsp::WindowShape::hann, 0, true, window);
    const dsp::DenseMatrix filters = dsp::make_mel_filters({});
    mel = std::make_shared<const dsp::Basis>(filters.values.data(), filters.rows, filters.cols);
  }
};

// The unit of all measurements: a mel spectrogram of noise, on the CPU or on a device.
class Yardstick {
 public:
  Yardstick(const Material& material, Index n_frames)
      : in_{{material.noise.data(), 1, 1, hop_length * n_frames}, material.window, material.mel} {
    Op::Params params;
    params.n_fft = n_fft;
    params.hop_length = hop_length;
    plan_ = Op::plan(params, in_);
    out_ = Op::outputs<float>(plan_);
    bands_.resize(static_cast<std::size_t>(out_.bands.size()));
    out_.bands.data = bands_.data();
  }

  double flops() const { return Op::cost(plan_).flops; }
  void run_cpu() { Op::run_cpu(plan_, in_, out_); }
  gpu::KernelTask<Op> task() const { return {plan_, in_, out_}; }
  std::size_t in_bytes() const { return static_cast<std::size_t>(in_.y.size()) * sizeof(float); }
  std::size_t out_bytes() const { return bands_.size() * sizeof(float); }
  const float* audio() const { return in_.y.data; }

 private:
  std::vector<float> bands_;
  Op::In<float> in_;
  Op::Plan plan_;
  Op::Out<float> out_;
};

// The rate of one thread; then of all threads, whose time is a start plus a rate times the work:
// two sizes give both.
void measure_cpu(const Material& material, Rates& rates) {
  {
    const ThreadsScope one(1);
    Yardstick yardstick(material, 64);
    rates.cpu_flops = yardstick.flops() / best_ms(4, [&] { yardstick.run_cpu(); });
  }
  const int threads = default_threads();
  if (threads == 1) return;
  const ThreadsScope all(threads);
  Yardstick few(material, piece_frames), many(material, most_frames);
  many.run_cpu();  // wakes the threads
  const double less = typical_ms(9, [&] { few.run_cpu(); });
  const double more = std::max(typical_ms(9, [&] { many.run_cpu(); }), 1.01 * less);
  const double flops = (many.flops() - few.flops()) / (more - less);
  rates.cpu_thread_gain = std::clamp((flops / rates.cpu_flops - 1) / (threads - 1), 0.05, 1.0);
  rates.cpu_parallel_start_ms = std::max(less - few.flops() / flops, rates.cpu_start_ms);
}

// All threads write fresh pages of the size that NumPy asks for.
double measure_memory() {
  constexpr std::size_t bytes = std::size_t{32} << 20;
  const ThreadsScope all(default_threads());
  const double taken = typical_ms(3, [&] {
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    ask_for_huge_pages(pages, bytes);
    parallel_for(static_cast<Index>(bytes), Index{1} << 20, [&](Index first, Index last) {
      std::memset(static_cast<std::byte*>(pages) + first, 1,
                  static_cast<std::size_t>(last - first));
    });
    munmap(pages, bytes);
  });
  return bytes / taken;
}

// A call from host memory to host memory.
double streamed_ms(gpu::Device& device, const Yardstick& yardstick) {
  const auto task = yardstick.task();
  gpu::run_streamed(device, task);  // not measured: builds the pipeline and the session's memory
  return typical_ms(9, [&] { gpu::run_streamed(device, task); });
}

// Pieces as batches are cut; smaller ones on a device that is slow.
void measure_gpu_calls(gpu::Device& device, const Material& material, Rates& rates) {
  rates.gpu_start_ms = streamed_ms(device, Yardstick(material, second_frames));
  const Index n_frames = rates.gpu_start_ms > 1 ? second_frames : piece_frames;
  const Yardstick piece(material, n_frames), four(material, 4 * n_frames);
  rates.gpu_piece_ms = streamed_ms(device, piece);
  rates.gpu_stream_ms = std::max(streamed_ms(device, four), rates.gpu_piece_ms);
  rates.gpu_piece_bytes = static_cast<double>(piece.in_bytes() + piece.out_bytes());
}

// A call whose arrays are on the device already.
double gpu_ms(gpu::Device& device, const Yardstick& yardstick, int repeats) {
  const gpu::DeviceData in = gpu::copy_to_device(device, yardstick.audio(), yardstick.in_bytes());
  const gpu::DeviceData out = gpu::make_array(device, yardstick.out_bytes());
  const auto task = yardstick.task();
  return best_ms(repeats, [&] {
    gpu::run_resident(device, task, {&in, 1}, {&out, 1});
    gpu::finish_work(device);
  });
}

// On a fast device with so many frames that the time of a submission does not matter.
double measure_gpu_flops(gpu::Device& device, const Material& material, double submit_ms) {
  double rate = 0;
  for (const Index n_frames : {128, 4096}) {
    const Yardstick yardstick(material, n_frames);
    const double taken = gpu_ms(device, yardstick, 4);
    rate = yardstick.flops() / std::max(taken - submit_ms, 0.1 * taken);
    if (taken > 1) break;
  }
  return rate;
}

// The name depends on the device (one of two of a kind may have a slower bus), driver, processor,
// number of threads, version, layout of Rates, and whether arrays are staged: constants that were
// measured under other conditions are not found.
std::string file_name(const gpu::DeviceInfo& info) {
  std::string key;
  for (const std::string& each :
       {info.name, info.uuid, info.driver, processor_name(), std::to_string(default_threads()),
        std::string(METALMOM_VERSION), std::to_string(sizeof(Rates)),
        std::string(info.unified_memory ? "in place" : "staged")})
    key.append(key.empty() ? "" : "|").append(each);
  return "calibration-" + std::to_string(gpu::fingerprint(std::as_bytes(std::span(key)))) + ".bin";
}

bool load(const gpu::DeviceInfo& info, Rates& rates) {
  const auto content = gpu::load_cached(file_name(info));
  if (content.size() != sizeof rates) return false;
  std::memcpy(&rates, content.data(), sizeof rates);
  return true;
}

struct Known {
  std::mutex measuring;  // of those who measure, which waits for the device
  std::mutex mutex;      // of the rates
  std::map<gpu::Device*, Rates> rates;

  std::optional<Rates> find(gpu::Device& device) {
    std::lock_guard lock(mutex);
    const auto found = rates.find(&device);
    return found == rates.end() ? std::nullopt : std::optional(found->second);
  }
  Rates keep(gpu::Device& device, const Rates& found) {
    std::lock_guard lock(mutex);
    return rates[&device] = found;
  }
};
Known& known() {
  static auto* instance = new ForkLocal<Known>;
  return instance->get();
}

Rates measured_rates(gpu::Device& device) {
  static constexpr trace::Site site{"calibrate", trace::Category::engine};
  const trace::Span span(site);
  std::optional<Material> made;
  const double material_ms = best_ms(1, [&] { made.emplace(); });
  const Material& material = *made;
  gpu_ms(device, Yardstick(material, 8), 1);  // builds the pipeline, which is not to be measured
  Rates rates;
  rates.took_ms = material_ms + best_ms(1, [&] {
                    rates.device = gpu::measure(device);
                    measure_cpu(material, rates);
                    rates.cpu_memory = measure_memory();
                    measure_gpu_calls(device, material, rates);
                    rates.gpu_flops = measure_gpu_flops(device, material, rates.device.submit_ms);
                  });
  rates.measured = true;
  gpu::store_cached(file_name(gpu::info(device)), std::as_bytes(std::span(&rates, 1)));
  return rates;
}

// Cautious rates of a discrete card of recent years, where nothing may be measured.
Rates typical_rates() {
  Rates rates;
  rates.device = {.submit_ms = 0.06, .upload = 8e6, .download = 6e6, .copy = 2e8};
  return rates;
}

bool may_measure() {
  return environment_flag("METALMOM_CALIBRATE", true);
}

}  // namespace

Rates rates_of(gpu::Device& device) {
  Known& all = known();
  if (const auto known_already = all.find(device)) return *known_already;
  std::lock_guard measuring(all.measuring);
  if (const auto known_by_now = all.find(device)) return *known_by_now;
  Rates rates = typical_rates();
  if (may_measure() && !load(gpu::info(device), rates)) rates = measured_rates(device);
  return all.keep(device, rates);
}

Rates calibrate(gpu::Device& device) {
  Known& all = known();
  std::lock_guard measuring(all.measuring);
  return all.keep(device, may_measure() ? measured_rates(device) : typical_rates());
}

}  // namespace metalmom::dispatch
