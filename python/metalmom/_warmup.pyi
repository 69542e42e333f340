# Written by scripts/make_stubs.py from the docstrings.

__all__ = [
    "gpu_warmup",
]

def gpu_warmup() -> bool: ...
