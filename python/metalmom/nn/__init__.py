"""Models in ONNX files, run by ONNX Runtime.

    session = metalmom.nn.Session("denoise.onnx")
    y = session(x)
    metalmom.nn.check("denoise.onnx")       # what loses precision in it
"""

from __future__ import annotations

from ..util.exceptions import ModelError
from ._check import Finding, Findings, check
from ._profile import NodeTime, Profile
from ._session import Memory, Session, Tensor

__all__ = ["Finding", "Findings", "Memory", "ModelError", "NodeTime", "Profile", "Session", "Tensor", "check"]
__dir__ = __all__.copy
