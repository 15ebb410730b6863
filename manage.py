#!/usr/bin/env python3
"""Django's command line for this project."""

import os
import sys


def main() -> None:
    """Run the command that the line names."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "roulette_site.settings")
    try:
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        # Also while it is still being loaded.
        sys.exit(130)


if __name__ == "__main__":
    main()
