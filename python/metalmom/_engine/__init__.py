"""The engine as Python meets it: arrays on both sides, arguments, settings, calls that do not wait."""
