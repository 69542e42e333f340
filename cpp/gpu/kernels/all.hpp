// Every kernel: what includes this knows which ops have one.
#pragma once

#include "gpu/kernels/cepstrum.hpp"
#include "gpu/kernels/chroma.hpp"
#include "gpu/kernels/constant_q.hpp"
#include "gpu/kernels/contrast.hpp"
#include "gpu/kernels/filterbank.hpp"
#include "gpu/kernels/flux.hpp"
#include "gpu/kernels/griffinlim.hpp"
#include "gpu/kernels/hpss.hpp"
#include "gpu/kernels/istft.hpp"
#include "gpu/kernels/levels.hpp"
#include "gpu/kernels/pcen.hpp"
#include "gpu/kernels/phase_vocoder.hpp"
#include "gpu/kernels/samples.hpp"
#include "gpu/kernels/spectral_shape.hpp"
#include "gpu/kernels/stft.hpp"
#include "gpu/kernels/tuning.hpp"
