"""What tests on a Vulkan device share: when they run, limits on the device, what a trace says of calls."""

import contextlib
import os

import metalmom
import pytest
from metalmom import _native
from metalmom._warmup import Example, examples
from metalmom.util._declared import Value

# Without a device a test is skipped, unless METALMOM_REQUIRE_GPU says that there must be one.
on_device = pytest.mark.skipif(
    not metalmom.devices() and not os.environ.get("METALMOM_REQUIRE_GPU"),
    reason="no Vulkan device",
)

# What is declared to run there, but what is one answer for all clips.
EXAMPLES = {
    name: (function, arguments)
    for name, (function, arguments) in examples().items()
    if not (hasattr(function, "declared") and isinstance(function.declared.returns, Value))
}


def call_of(name, y):
    """The call of an example on audio; it gives a tuple of arrays."""
    function, arguments = EXAMPLES[name]
    made = arguments(Example(y))

    def call():
        result = function(**made)
        return result if isinstance(result, tuple) else (result,)

    return call


@contextlib.contextmanager
def little_memory(limit):
    """Let the engine reserve so many bytes of the device that `backend` names, and keep nothing."""
    _native.set_device_memory_limit(limit)
    try:
        yield
    finally:
        _native.set_device_memory_limit(2**62)


@contextlib.contextmanager
def software_as_gpu():
    """Let "auto" use the device, whatever it is."""
    _native.let_automatic_take_software(True)
    try:
        yield
    finally:
        _native.let_automatic_take_software(False)


def engine_spans(call):
    """The spans of a call's steps, without those of what it makes and keeps, and its trace."""
    with metalmom.trace.record() as trace:
        call()
    return [span for span in trace.spans if span.cat == "engine" and not span.name.startswith("build ")], trace
