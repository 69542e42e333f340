// The push-constant structs of shaders/push/*.h and the numbers of shaders/constants.h, which GLSL
// includes too. They are written in the types that both languages have under these names: uint,
// int, float.
#pragma once

#include <cstdint>

namespace metalmom::gpu {

using uint = std::uint32_t;

#include "constants.h"
#include "push/bands.h"
#include "push/contrast.h"
#include "push/convolve.h"
#include "push/copy.h"
#include "push/dct.h"
#include "push/decibel.h"
#include "push/decimate.h"
#include "push/delta.h"
#include "push/flux.h"
#include "push/frames.h"
#include "push/hpss.h"
#include "push/istft.h"
#include "push/log_bands.h"
#include "push/octaves.h"
#include "push/pcen.h"
#include "push/peaks.h"
#include "push/phases.h"
#include "push/ranks.h"
#include "push/resample.h"
#include "push/samples.h"
#include "push/shape.h"
#include "push/tempogram.h"
#include "push/vocoder.h"
#include "push/yin.h"

}  // namespace metalmom::gpu
