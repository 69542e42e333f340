"""The subcommands of ``metalmom``, one module each.

A command module has ``HELP`` (one line), ``USAGE`` (what comes after its name, on one line), ``add_arguments(parser)`` and ``run(args)``, which returns
the exit status; what it raises of ``metalmom.cli.EXPECTED`` ends in one sentence and status 1.
"""

COMMANDS = ("profile", "extract", "verify", "doctor")
