"""A settle command that runs."""

from collections.abc import Iterator

import pytest

from .settling import Stream, running


@pytest.fixture(scope="module")
def stream() -> Iterator[Stream]:
    """One command for all tests that put single lines to it: each also shows that it lived on after the others."""
    with running() as one:
        yield one
