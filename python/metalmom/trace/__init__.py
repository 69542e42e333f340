"""See where the time goes: one trace shows Python, bridge, engine and GPU on one clock.

::

    with metalmom.trace.record() as t:
        metalmom.feature.mfcc(y=y)
    print(t.summary())
    t.save("mfcc.html")         # one page with a timeline, or "mfcc.json" for Perfetto

``METALMOM_TRACE=FILE`` records a whole process, ``METALMOM_TRACE_DETAIL=1`` with detail. If nothing is
recorded, a span costs less than a nanosecond. For a process that runs for days use a flight recorder,
`flight` or ``METALMOM_FLIGHT=DIR``: it writes the last seconds when something happens.
"""

from . import _file, _flight, _process, _recording
from ._file import *  # noqa: F403
from ._flight import *  # noqa: F403
from ._recording import *  # noqa: F403

__all__ = [*_recording.__all__, *_file.__all__, *_flight.__all__]
__dir__ = __all__.copy

for _name in __all__:
    globals()[_name].__module__ = __name__

_process_trace, _process_flight = _process.record_process(), _process.fly_process()
