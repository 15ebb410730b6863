"""The settings every process runs with; `base` reads them from the environment."""

from .base import *  # noqa: F403
