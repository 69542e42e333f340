// What was built. A commit changes build_info.cpp alone, which is compiled in no time.
#pragma once

namespace metalmom::bridge {

struct BuildInfo {
  const char *version, *revision, *compiler, *type;
};
extern const BuildInfo build;

}  // namespace metalmom::bridge
