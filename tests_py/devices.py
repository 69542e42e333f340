"""Tests that need a Vulkan device: skipped without one, unless METALMOM_REQUIRE_GPU says that there must be one."""

import os

import metalmom
import pytest

on_device = pytest.mark.skipif(
    not metalmom.devices() and not os.environ.get("METALMOM_REQUIRE_GPU"),
    reason="no Vulkan device",
)
