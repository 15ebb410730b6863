"""`manage.py plug`: kill the worker of the running demonstration in mid-spin, and show that nothing is lost."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from roulette_site.common.launch import State
from sessions_app.demo.plug import NotPulled, pull


class Command(BaseCommand):
    help = "Kill the worker of the running demonstration in mid-spin, watch the round recover, and prove the books."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        """Pull the plug of a site that `manage.py run` runs, and prove the books afterwards."""
        if not settings.LOCAL:
            raise CommandError("This is for the demonstration: not with DEBUG off.")
        state = State(Path(settings.VAR_DIR).resolve())
        if not state.is_held():
            raise CommandError("The site does not run: `make run` first.")
        try:
            pull(worker_pid_file=state.worker_pid_file, say=self._say)
        except NotPulled as reason:
            raise CommandError(str(reason)) from None
        self._say("Now the books:")
        call_command("verify")

    def _say(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()
