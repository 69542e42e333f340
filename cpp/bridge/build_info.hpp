// What was built. After a commit build_info.cpp alone is compiled again, which takes no time.
#pragma once

namespace metalmom::bridge {

struct BuildInfo {
  const char *version, *revision, *compiler, *type;
};
extern const BuildInfo build;

}  // namespace metalmom::bridge
