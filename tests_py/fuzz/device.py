"""Arrays on a device under random calls, views, interrupts and forks; without a device each try ends at once.

Values that were brought there stay what they were, and a call that was not ended gives the bits that it gave
before.
"""

import functools
import warnings

import metalmom
import numpy as np
from devices import EXAMPLES
from metalmom._warmup import Example
from test_extractor import assert_same, song

from .draw import Lasted, cut_after, expect, in_a_child, storm

LIMIT = 180.0  # a software device builds a kernel in seconds
CHILD_SECONDS = 60


# Those whose kernels are built soonest.
NAMES = sorted(
    name
    for name in EXAMPLES
    if name.partition(" ")[0]
    in {
        "stft",
        "power_to_db",
        "feature.melspectrogram",
        "feature.rms",
        "feature.mfcc",
        "feature.delta",
        "feature.spectral_centroid",
        "feature.zero_crossing_rate",
        "amplitude_to_db",
        "magphase",
        "istft",
    }
)


@functools.cache
def example():
    with metalmom.config_context(backend="cpu"):
        of = Example(song(0.4, seed=3))
        return {name: EXAMPLES[name][1](of) for name in NAMES}


def called(name):
    """A call on arrays that it brings to the device first."""
    given = {
        key: metalmom.to_device(each)
        if key in ("y", "S", "D", "data") and isinstance(each, np.ndarray)
        else each
        for key, each in example()[name].items()
    }
    with metalmom.config_context(backend="gpu"):
        return on_host(EXAMPLES[name][0](**given))


expected = functools.cache(called)


def on_host(result):
    if isinstance(result, tuple):
        return tuple(map(on_host, result))
    return result.numpy() if isinstance(result, metalmom.DeviceArray) else np.asarray(result)


def interrupted(draw, call):
    """A call during which a signal comes; None where the signal has ended it."""
    return cut_after(draw, float(10 ** draw.random.uniform(-5, -2)), call)[0]


def forked(given):
    """Use the device in a fork: it gives the same, or says that it cannot."""

    def use():
        try:
            if given:
                array, values = given[0]
                expect(array.numpy().tobytes() == values.tobytes(), "an array holds other values in a fork")
            metalmom.to_device(np.zeros(10, np.float32)).numpy()
        except metalmom.DeviceError:
            pass
        metalmom.feature.rms(y=np.zeros(4096, np.float32))

    fault = in_a_child(use, CHILD_SECONDS)
    expect(fault is None, f"a forked child {fault}")


def attempt(draw):
    if not metalmom.devices():
        raise Lasted
    warnings.simplefilter("ignore")
    arrays = []  # on the device, and what they hold
    for _ in range(3 + draw.below(8)):
        what = draw.below(10)
        if what < 3 or not arrays:
            shape = draw.one(
                [
                    (draw.below(5000),),
                    (2, draw.below(3000)),
                    (1 + draw.below(40), 1 + draw.below(40)),
                    (3, 4, 5),
                ]
            )
            values = draw.random.standard_normal(shape).astype(draw.one(["f4", "f4", "f4", ">f4", "f8"]))
            values = draw.one([values, values[..., ::-1], np.asfortranarray(values)])
            draw.say(f"to_device of {values.dtype.str} {values.shape} {values.strides}")
            try:
                arrays.append((metalmom.to_device(values), values.astype(np.float32)))
            except metalmom.ParameterError as error:
                expect(values.dtype != np.float32, f"float32 is refused: {error}")
        elif what == 3:
            given, values = draw.one(arrays)
            draw.say(f"reshape {values.shape}, swapaxes, astype")
            try:
                arrays.append((given.reshape(-1), values.reshape(-1)))
                arrays.append((given.swapaxes(-1, 0), values.swapaxes(-1, 0)))
                arrays.append((given.astype(np.complex64), values.astype(np.complex64)))
            except (metalmom.DeviceError, metalmom.ParameterError):
                pass
        elif what == 4:
            given, values = draw.one(arrays)
            index = draw.one(
                [
                    0,
                    -1,
                    slice(0, 3),
                    slice(None, None, 2),
                    (Ellipsis, slice(1, None)),
                    10**6,
                    None,
                    "x",
                    np.array([0]),
                ]
            )
            draw.say(f"[{index!r}] of {values.shape}")
            try:
                arrays.append((given[index], values[index]))
            except (metalmom.DeviceError, IndexError, TypeError, ValueError):
                pass
        elif what == 5:
            arrays.pop(draw.below(len(arrays)))
        elif what == 6 and draw.chance(0.2):
            draw.say("a fork")
            forked(arrays)
        elif what == 7 and draw.chance(0.3):
            metalmom.release_caches()
        else:
            name = draw.one(NAMES)
            cut = draw.chance(0.4)
            draw.say(f"{name}{', interrupted' if cut else ''}")
            want = expected(name)
            if draw.chance(0.05):
                draw.say(f"a storm of {name}")
                storm(draw, lambda name=name: called(name))
            result = interrupted(draw, lambda name=name: called(name)) if cut else called(name)
            if result is not None:
                assert_same(result, want, name)
    for given, values in arrays:
        expect(
            np.array_equal(given.numpy(), values),
            f"an array of {values.shape} on the device holds other values",
        )
