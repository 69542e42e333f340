"""The engine as Python meets it: arrays on both sides, arguments, expressions, settings, calls that wait."""
