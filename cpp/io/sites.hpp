// The spans of this layer.
#pragma once

#include "trace/trace.hpp"

namespace metalmom::io::sites {

inline constexpr trace::Site load{"load", trace::Category::engine};
inline constexpr trace::Site decode{"decode", trace::Category::engine};
inline constexpr trace::Site mix{"mix", trace::Category::engine};
inline constexpr trace::Site resample{"resample", trace::Category::engine};

}  // namespace metalmom::io::sites
