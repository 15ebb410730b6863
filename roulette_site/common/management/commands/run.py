"""`manage.py run`: the whole site on this machine, for a demonstration."""

import os
import signal
import subprocess
import sys
from argparse import ArgumentTypeError
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection, connections

from roulette_site.common import launch
from roulette_site.common.models import Operator
from roulette_site.common.sealer import seal_all

DEFAULT_PORT = 8000
MOST_DAYS = 365
# How often it is seen whether somebody wants it to stop.
LOOK_SECONDS = 1.0


class Command(BaseCommand):
    help = "Run the demonstration: database, web, worker, beat and bots, until Ctrl-C. BOTS=0 leaves the bots out."
    # What the checks look at is looked at by `make check`; here they would cost a second of every start.
    requires_system_checks: list[str] = []
    state: launch.State
    stop: launch.Stop
    days: int

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the port, the past to make, and what else can be done than to run."""
        parser.add_argument("--port", type=_port, default=os.environ.get("PORT", str(DEFAULT_PORT)))
        parser.add_argument(
            "--days", type=_days, default="14", help="days of past, where the demonstration is made (14)"
        )
        parser.add_argument("--reset", action="store_true", help="begin the demonstration anew, then end")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run, or reset."""
        if not settings.LOCAL:
            raise CommandError("This is the demonstration, which opens every account to anyone: not with DEBUG off.")
        self.state = launch.State(Path(settings.VAR_DIR).resolve())
        self.days = options["days"]
        self.stop = launch.Stop()
        # Until the launcher takes over, every way to stop is the same as Ctrl-C.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.stop)
        try:
            if options["reset"]:
                self.state.check_ours()
            with self.state.held():
                self._reset() if options["reset"] else self._run(options["port"])
        except (launch.StateInUse, launch.StateNotOurs, launch.StateUnusable, launch.NoPortFree) as refusal:
            raise CommandError(str(refusal)) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped while preparing; the next start goes on.", returncode=130) from None

    def _run(self, wanted_port: int) -> None:
        port = launch.find_free_port(wanted_port)
        if port != wanted_port:
            self._say(f"Port {wanted_port} is busy; port {port} is taken instead.")
        environment = launch.environment_for_children(self.state, port)
        self._prepare(environment)

        site = f"http://127.0.0.1:{port}"
        launcher = launch.Launcher(
            self.state,
            address=f"{site}/",
            announcement=[
                "",
                f"  The tables         {site}/",
                f"  The demonstration  {site}/demo/",
                f"  The back office    {site}/{settings.ADMIN_URL}",
                "",
                "  Ctrl-C stops everything; what happened is kept. `make plug` pulls the plug in mid-spin.",
                "",
            ],
        )
        for name, command in launch.read_procfile(settings.BASE_DIR / "Procfile").items():
            if name == "bots" and os.environ.get("BOTS") == "0":
                continue
            own = {"WORKER_DRAW_KEY_FILE": str(self.state.draw_key_file)} if name == "worker" else {}
            launcher.add_process(name, command, env=environment | own, cwd=settings.BASE_DIR)
        self.stop.check()
        launcher.loop()
        if launcher.ended_by_itself:
            names = " and ".join(launcher.ended_by_itself)
            raise CommandError(f"{names} ended, so everything was stopped. What went wrong stands above.")
        # What was put on record last waits for its seal: whoever verifies a site that stands still would be alarmed.
        seal_all(everything=True)
        connections.close_all()
        self._say("Stopped.")

    def _reset(self) -> None:
        if self._embedded_database() is None:
            raise CommandError("DATABASE_URL names a database of its own; only the embedded one is begun anew.")
        self.state.empty()
        self._prepare(launch.environment_for_children(self.state, DEFAULT_PORT))
        self._say("The demonstration is as new. `make run` starts it.")

    def _prepare(self, environment: dict[str, str]) -> None:
        database = self._embedded_database()
        if database is not None and self.state.broken_off:
            self._say("The demonstration was broken off while it was made; it is begun anew.")
            self.state.empty()
        self.state.prepare()
        # On this machine nothing is collected into it, but whitenoise warns where it is missing.
        Path(settings.STATIC_ROOT).mkdir(exist_ok=True)
        if database is None or self._is_made():
            self._migrate_and_seed(environment)
        else:
            self._say(f"Making the demonstration: {self.days} days of play. This takes a while, once.")
            with self.state.finishing():
                self._migrate_and_seed(environment)

    def _is_made(self) -> bool:
        """Whether the database holds a house; a file alone may come from any command that looked into it."""
        with connection.cursor() as cursor:
            made = Operator._meta.db_table in connection.introspection.table_names(cursor)
        made = made and Operator.objects.exists()
        connections.close_all()
        return made

    def _migrate_and_seed(self, environment: dict[str, str]) -> None:
        call_command("migrate", interactive=False, verbosity=0)
        # honcho forks, and no connection may be shared with what it forks.
        connections.close_all()
        self.stop.check()
        # The past has draws too. It is made before anything serves, by a process that ends.
        seeding = subprocess.Popen(  # noqa: S603 - our own command and a number
            [sys.executable, "manage.py", "seed_demo", "--if-empty", f"--days={self.days}"],
            env=environment | {"DRAW_KEY_FILE": str(self.state.draw_key_file)},
            cwd=settings.BASE_DIR,
            # Ctrl-C is for this process, which then ends the other.
            start_new_session=True,
            # Left behind by a run that is killed, it still holds the folder.
            pass_fds=(self.state.lock_number,),
        )
        self.state.note(pid=os.getpid(), groups=[seeding.pid])
        try:
            while (returncode := seeding.poll()) is None:
                self.stop.check()
                with suppress(subprocess.TimeoutExpired):
                    seeding.wait(LOOK_SECONDS)
        except BaseException:
            seeding.kill()
            seeding.wait()
            raise
        if returncode != 0:
            raise CommandError("seed_demo failed, so nothing was started. What went wrong stands above.")

    def _embedded_database(self) -> Path | None:
        """The file of the embedded database, or None where DATABASE_URL names another."""
        database = settings.DATABASES["default"]
        if not database["ENGINE"].endswith("sqlite3"):
            return None
        file = Path(str(database["NAME"])).resolve()
        return file if file.parent == self.state.folder else None

    def _say(self, sentence: str) -> None:
        # What this is said to may be gone: a pipe that was closed, or a terminal.
        with suppress(OSError):
            self.stdout.write(sentence)
            self.stdout.flush()


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= launch.HIGHEST_PORT):
        raise ArgumentTypeError(f"a port is a number from 1 to {launch.HIGHEST_PORT}, not {text!r}")
    return int(text)


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text) <= MOST_DAYS):
        raise ArgumentTypeError(f"days are a number from 1 to {MOST_DAYS}, not {text!r}")
    return int(text)
