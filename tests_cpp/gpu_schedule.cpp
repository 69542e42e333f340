// Which steps may run side by side, and how many barriers there are between them.
#include "gpu/record/schedule.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace metalmom::gpu {
namespace {

const DeviceBuffer* const memory = reinterpret_cast<const DeviceBuffer*>(&memory);

// A kilobyte of the memory.
Slice part(std::size_t i) {
  return {memory, 1024 * i, 1024};
}

class Scheduled : public ::testing::Test {
 protected:
  std::uint32_t phase_of(std::vector<Binding> uses) {
    schedule.add(uses);
    return schedule.phase(schedule.size() - 1);
  }
  Schedule schedule;
};

TEST_F(Scheduled, WhatOnlyReadsTheSameRunsSideBySide) {
  EXPECT_EQ(phase_of({Read(part(0)), Write(part(1))}), 0u);
  EXPECT_EQ(phase_of({Read(part(0)), Write(part(2))}), 0u);
  EXPECT_EQ(schedule.n_phases(), 1u);
}

TEST_F(Scheduled, ChainsGoSideBySideThroughTheSamePhases) {
  for (std::size_t chain = 0; chain < 3; ++chain) {
    const std::size_t own = 1 + 2 * chain;
    EXPECT_EQ(phase_of({Write(part(own))}), 0u);
    EXPECT_EQ(phase_of({Read(part(0)), Update(part(own))}), 1u);
    EXPECT_EQ(phase_of({Read(part(own)), Write(part(own + 1))}), 2u);
  }
  EXPECT_EQ(schedule.n_phases(), 3u);
}

TEST_F(Scheduled, WhatIsReadIsNotOverwrittenBefore) {
  EXPECT_EQ(phase_of({Read(part(0)), Write(part(1))}), 0u);
  EXPECT_EQ(phase_of({Write(part(0))}), 1u);
  EXPECT_EQ(phase_of({Write(part(0))}), 2u);
  EXPECT_EQ(phase_of({Read(part(1))}), 1u);
}

TEST_F(Scheduled, AStepComesAfterTheLatestOfThoseThatItNeeds) {
  EXPECT_EQ(phase_of({Write(part(0))}), 0u);
  EXPECT_EQ(phase_of({Read(part(0)), Write(part(1))}), 1u);
  EXPECT_EQ(phase_of({Write(part(2))}), 0u);
  EXPECT_EQ(phase_of({Read(part(2)), Read(part(1)), Write(part(3))}), 2u);
}

TEST_F(Scheduled, WhatIsApartNeedsNothingOfWhatWasBefore) {
  EXPECT_EQ(phase_of({Write(part(0))}), 0u);
  EXPECT_EQ(phase_of({Update(part(0))}), 1u);
  schedule.begin_apart();
  EXPECT_EQ(phase_of({Update(part(0))}), 0u);
  EXPECT_EQ(phase_of({Update(part(0))}), 1u);
  schedule.clear();
  EXPECT_EQ(phase_of({Update(part(0))}), 0u);
  EXPECT_EQ(phase_of({Update(part(0))}), 1u);
}

TEST_F(Scheduled, PartsOverlapByBytes) {
  EXPECT_EQ(phase_of({Write(Slice{memory, 0, 1000})}), 0u);
  EXPECT_EQ(phase_of({Write(Slice{memory, 1000, 1000})}), 0u);
  EXPECT_EQ(phase_of({Read(Slice{memory, 999, 2})}), 1u);
  schedule.clear();
  EXPECT_EQ(phase_of({Read(Slice{memory, 999, 2})}), 0u);
}

}  // namespace
}  // namespace metalmom::gpu
