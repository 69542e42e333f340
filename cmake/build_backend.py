"""The build backend of pyproject.toml: scikit-build-core's, whose sdists also say their revision."""

import pathlib
import subprocess

from scikit_build_core import build
from scikit_build_core.build import *  # noqa: F403


def build_sdist(sdist_directory, config_settings=None):
    """What PEP 517 says; the sdist has the file REVISION, which the build reads where there is no repository."""
    revision = pathlib.Path("REVISION")
    if revision.exists():  # this is an sdist itself
        return build.build_sdist(sdist_directory, config_settings)
    asked = subprocess.run(["git", "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True)
    revision.write_text(asked.stdout)
    try:
        return build.build_sdist(sdist_directory, config_settings)
    finally:
        revision.unlink()
