// What layers above need of devices: arrays on them, what there is, and how fast.
#pragma once

#include "dispatch/cost_model.hpp"
#include "dispatch/setting.hpp"
#include "gpu/array.hpp"
#include "gpu/device.hpp"
#include "gpu/kernel.hpp"
#include "gpu/sharing.hpp"
#include "gpu/testing.hpp"
#include "gpu/validation.hpp"
