// What the build reads from shaders, and what it refuses to compile.
#include <gtest/gtest.h>

#include <bit>
#include <concepts>

#include "shader/bands.hpp"
#include "shader/copy.hpp"
#include "shader/decibel.hpp"
#include "shader/hpss.hpp"
#include "shader/overlap_save.hpp"

namespace metalmom::gpu::shader {
namespace {

static_assert(std::same_as<decltype(Bands::Buffers::audio), Read>);
static_assert(std::same_as<decltype(Bands::Buffers::bands), Write>);
static_assert(std::same_as<decltype(Bands::Buffers::maxima), Update>);
static_assert(std::same_as<Bands::Push, BandsPush>);
// Of two blocks with one binding the shorter name.
static_assert(std::same_as<decltype(OverlapSave::Buffers::results), Write>);
static_assert(std::same_as<decltype(Decibel::Constants::amplitude), Constant<bool>>);

template <class T, class... Given>
concept MadeOf = requires(Given... given) {
  T{given...};
};

static_assert(MadeOf<Copy::Buffers, Slice, Slice>);
static_assert(!MadeOf<Copy::Buffers, Slice>, "a buffer is missing");
static_assert(!MadeOf<Copy::Buffers, Slice, Slice, Slice>, "a buffer too many");
static_assert(!MadeOf<Copy::Buffers, Write, Read>, "the access is the shader's");
static_assert(!MadeOf<Decibel::Constants, bool>, "a constant is missing");

TEST(ShaderInterface, ConstantsAreWordsInTheirOrder) {
  const Hpss::Constants constants{.power_kind = 2, .masks_only = true, .is_real = false};
  EXPECT_EQ(constants.all(), (std::array<std::uint32_t, 3>{2, 1, 0}));
  EXPECT_EQ(Constant(-1.5f).word(), std::bit_cast<std::uint32_t>(-1.5f));
}

TEST(ShaderInterface, BuffersAreBoundInTheirOrder) {
  const Copy::Buffers buffers{.source = Slice{nullptr, 256, 8}, .target = Slice{nullptr, 512, 8}};
  const auto bindings = buffers.all();
  EXPECT_EQ(bindings[0].slice.offset, 256u);
  EXPECT_EQ(bindings[0].access, Access::read);
  EXPECT_EQ(bindings[1].slice.offset, 512u);
  EXPECT_EQ(bindings[1].access, Access::write);
}

TEST(ShaderInterface, AnUnusedBindingWaitsForNoReader) {
  EXPECT_EQ(Update(Unused{}).access, Access::read);
  EXPECT_EQ(Update(Slice{}).access, Access::read_write);
}

}  // namespace
}  // namespace metalmom::gpu::shader
