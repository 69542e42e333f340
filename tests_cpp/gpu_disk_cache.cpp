#include "gpu/vk/disk_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace metalmom::gpu {
namespace {

namespace fs = std::filesystem;

// A folder of the test's own, which METALMOM_CACHE_DIR names while it runs.
class GpuDiskCache : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "metalmom-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    base = name;
    folder = base / "kept";
    if (const char* given = std::getenv("METALMOM_CACHE_DIR")) before = given;
    ::setenv("METALMOM_CACHE_DIR", folder.c_str(), 1);
  }
  void TearDown() override {
    if (before)
      ::setenv("METALMOM_CACHE_DIR", before->c_str(), 1);
    else
      ::unsetenv("METALMOM_CACHE_DIR");
    fs::remove_all(base);
  }

  fs::path base, folder;
  std::optional<std::string> before;
  const std::vector<std::byte> kernel{std::byte{1}, std::byte{2}, std::byte{3}};
};

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  ::stat(path.c_str(), &status);
  return status.st_mode & 0777;
}

TEST_F(GpuDiskCache, IsTheUsersAlone) {
  store_cached("one", kernel);
  EXPECT_EQ(load_cached("one"), kernel);
  EXPECT_EQ(mode_of(folder), 0700u);
  EXPECT_EQ(mode_of(folder / "one"), 0600u);
}

TEST_F(GpuDiskCache, ReadsNoFileThatOthersCouldHaveWritten) {
  store_cached("one", kernel);
  for (const mode_t mode : {0620, 0602}) {
    ASSERT_EQ(::chmod((folder / "one").c_str(), mode), 0);
    EXPECT_TRUE(load_cached("one").empty());
  }
  store_cached("one", kernel);
  EXPECT_EQ(load_cached("one"), kernel);
}

TEST_F(GpuDiskCache, FollowsNoLinkAndWaitsForNoPipe) {
  store_cached("one", kernel);
  fs::create_symlink(folder / "one", folder / "link");
  EXPECT_TRUE(load_cached("link").empty());
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(load_cached("pipe").empty());
  // A link where the new file is put together is taken away, not written through.
  fs::create_symlink(base / "other", folder / ("two." + std::to_string(::getpid())));
  store_cached("two", kernel);
  EXPECT_EQ(load_cached("two"), kernel);
  EXPECT_FALSE(fs::exists(base / "other"));
}

TEST_F(GpuDiskCache, LeavesFoldersAndFilesOfOtherUsersAlone) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a folder away";
  store_cached("one", kernel);
  ASSERT_EQ(::chown((folder / "one").c_str(), 65534, 65534), 0);
  EXPECT_TRUE(load_cached("one").empty());
  ASSERT_EQ(::chown((folder / "one").c_str(), 0, 0), 0);
  ASSERT_EQ(::chown(folder.c_str(), 65534, 65534), 0);
  EXPECT_TRUE(load_cached("one").empty());
  store_cached("two", kernel);
  EXPECT_FALSE(fs::exists(folder / "two"));
}

}  // namespace
}  // namespace metalmom::gpu
