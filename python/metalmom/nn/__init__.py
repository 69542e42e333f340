"""Models in ONNX files, run by ONNX Runtime."""

from __future__ import annotations

from ._session import Memory, Session, Tensor

__all__ = ["Memory", "Session", "Tensor"]
__dir__ = __all__.copy
