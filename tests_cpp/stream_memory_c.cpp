// Memory that is refused to programs in C: each allocation of a call in its turn, in a child
// process that has kept nothing yet. The status says so, the call leaves nothing, and the next one
// is right.
#include "realtime_guard.hpp"

#ifdef METALMOM_REALTIME_GUARD

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "c_api/metalmom.h"

namespace metalmom {
namespace {

constexpr int64_t n_samples = 3000, max_floats = 1 << 20;

// What a child tells.
struct Told {
  metalmom_status refused, next;
  bool has_failed, is_out_of_memory;
  long blocks;     // that stay in use
  int64_t values;  // of the next call
  float frames[max_floats];
};

// The status of a call, and how many values it has written to `frames`. What it opens it closes.
struct Done {
  metalmom_status status;
  int64_t values;
};
using Call = Done (*)(const char* what, const float* y, float* frames);

Done features(const char* what, const float* y, float* frames) {
  metalmom_features* opened = nullptr;
  const char* const options = strchr(what, ' ') + 1;
  char name[40] = {};
  memcpy(name, what, static_cast<std::size_t>(options - 1 - what));
  metalmom_status status = metalmom_features_open(name, options, 2, &opened);
  if (status != METALMOM_OK) return {status, opened ? -1 : 0};
  const int64_t rows = metalmom_features_rows(opened), room = max_floats / 2 / rows;
  int64_t made = 0, rest = 0;
  status = metalmom_features_process(opened, y, n_samples / 2, 0, frames, room, &made);
  if (status == METALMOM_OK)
    status = metalmom_features_process(opened, y, n_samples / 2, 1, frames + made * rows,
                                       room - made, &rest);
  metalmom_report report{};
  report.size = sizeof report;
  if (status == METALMOM_OK) status = metalmom_features_report(opened, &report);
  metalmom_features_close(opened);
  return {status, (made + rest) * rows};
}

Done convolver(const char*, const float* y, float* frames) {
  metalmom_convolver* opened = nullptr;
  metalmom_status status = metalmom_convolver_open(y, n_samples, 1, 64, &opened);
  if (status != METALMOM_OK) return {status, opened ? -1 : 0};
  for (int64_t at = 0; status == METALMOM_OK && at + 100 <= n_samples; at += 100)
    status = metalmom_convolver_process(opened, y + at, 100, frames + at);
  if (status == METALMOM_OK) status = metalmom_convolver_set_rate(opened, 48000);
  metalmom_report report{};
  report.size = sizeof report;
  if (status == METALMOM_OK) status = metalmom_convolver_report(opened, &report);
  metalmom_convolver_close(opened);
  return {status, n_samples};
}

Done ring(const char*, const float* y, float* frames) {
  metalmom_ring* opened = nullptr;
  const metalmom_status status = metalmom_ring_open(500, 2, &opened);
  if (status != METALMOM_OK) return {status, opened ? -1 : 0};
  metalmom_ring_write(opened, y, 500);
  const int64_t count = metalmom_ring_read(opened, frames, 500);
  metalmom_ring_close(opened);
  return {status, 2 * count};
}

class StreamMemoryOfC : public ::testing::Test {
 protected:
  void SetUp() override {
    void* const memory =
        mmap(nullptr, 2 * sizeof(Told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    told_ = static_cast<Told*>(memory);
    y_ = test::samples<float>(n_samples);
  }
  void TearDown() override {
    munmap(told_, 2 * sizeof(Told));
    std::printf("%ld allocations were refused\n", points_);
  }

  // In a child: a call whose allocation of that number fails (0: none does), and the next one.
  void tell(Told& told, long number, Call call, const char* what) {
    const pid_t child = fork();
    if (child == 0) {
      const long blocks = test::blocks_in_use();
      {
        const test::FailingAllocation failing(number);
        told.refused = call(what, y_.data(), told.frames).status;
        told.has_failed = number > 0 && failing.has_failed();
      }
      told.is_out_of_memory = strcmp(metalmom_last_error(), "out of memory") == 0;
      const Done done = call(what, y_.data(), told.frames);
      told.next = done.status;
      told.values = done.values;
      told.blocks = test::blocks_in_use() - blocks;
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    ASSERT_EQ(WEXITSTATUS(status), 0);
  }

  void refuse_each(Call call, const char* what, metalmom_status expected = METALMOM_OK) {
    Told &right = told_[0], &told = told_[1];
    tell(right, 0, call, what);
    ASSERT_EQ(right.refused, expected);
    ASSERT_EQ(right.next, expected);
    for (long number = 1;; ++number) {
      SCOPED_TRACE(std::string(what) + ": allocation " + std::to_string(number));
      ASSERT_NO_FATAL_FAILURE(tell(told, number, call, what));
      if (!told.has_failed) break;
      ++points_;
      if (told.refused != expected) {
        EXPECT_EQ(told.refused, METALMOM_NO_MEMORY);
        EXPECT_TRUE(told.is_out_of_memory);
      }
      EXPECT_EQ(told.next, expected);
      EXPECT_EQ(told.blocks, right.blocks);
      ASSERT_EQ(told.values, right.values);
      EXPECT_EQ(
          memcmp(told.frames, right.frames, sizeof(float) * static_cast<std::size_t>(right.values)),
          0);
    }
  }

  Told* told_ = nullptr;
  std::vector<float> y_;
  long points_ = 0;
};

TEST_F(StreamMemoryOfC, Features) {
  for (const char* what : {"stft", "melspectrogram", "mfcc", "chroma_stft", "onset_strength", "rms",
                           "zero_crossing_rate", "spectral_centroid", "spectral_bandwidth",
                           "spectral_rolloff", "spectral_flatness"}) {
    const bool is_of_time = strcmp(what, "rms") == 0 || strcmp(what, "zero_crossing_rate") == 0;
    const std::string options =
        is_of_time ? " frame_length=512 hop_length=128" : " n_fft=512 hop_length=128";
    refuse_each(features, (what + options).c_str());
  }
}

TEST_F(StreamMemoryOfC, RefusedOptions) {
  refuse_each(features, "mfcc n_fft=512 hop_length=0", METALMOM_BAD_ARGUMENT);
  refuse_each(features, "mfcc n_fft=512 n_mels=40 nonsense=1", METALMOM_BAD_ARGUMENT);
  refuse_each(features, "nonsense n_fft=512", METALMOM_BAD_ARGUMENT);
}

TEST_F(StreamMemoryOfC, Convolver) {
  refuse_each(convolver, "convolver");
}

TEST_F(StreamMemoryOfC, Ring) {
  refuse_each(ring, "ring");
}

}  // namespace
}  // namespace metalmom

#endif
