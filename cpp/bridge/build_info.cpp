#include "bridge/build_info.hpp"

namespace metalmom::bridge {

const BuildInfo build{METALMOM_VERSION, METALMOM_REVISION, METALMOM_COMPILER, METALMOM_BUILD_TYPE};

}  // namespace metalmom::bridge
