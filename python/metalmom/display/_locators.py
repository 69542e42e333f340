"""Where ticks lie on axes of notes; part of `display`."""

from matplotlib.ticker import LogLocator


class OctaveLocator(LogLocator):
    """A tick an octave, or every few octaves where there is no room for more.

    Older matplotlibs (3.6) leave such an axis without ticks if its ticks are no powers of two.
    """

    def __init__(self, start):
        super().__init__(base=2.0, subs=(start,))
        self._start = start

    def tick_values(self, vmin, vmax):
        """The ticks between two frequencies."""
        ticks = super().tick_values(vmin, vmax)
        if len(ticks):
            return ticks
        every = LogLocator(base=2.0, subs=(self._start,), numticks=1000).tick_values(vmin, vmax)
        room = max(self.axis.get_tick_space(), 2)
        return every[:: -(-len(every) // room)]
