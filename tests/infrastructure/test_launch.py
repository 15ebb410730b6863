"""What `manage.py run` is made of, piece by piece; test_run.py runs the whole."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

import pytest
from django.core.management import CommandError

from roulette_site.common import launch
from roulette_site.common.launch import State, StateInUse, StateNotOurs
from roulette_site.common.management.commands import run

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 15
MANY_BYTES = 10_000


@pytest.fixture
def state(tmp_path):
    return State(tmp_path / "var")


def mode_of(path):
    return oct(path.stat().st_mode & 0o777)


def wait_for(look):
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.02)
    return pytest.fail("it did not happen", pytrace=False)


def read_until(process, ending):
    for line in process.stdout:
        if line.endswith(ending):
            return
    pytest.fail(f"it ended without {ending!r}", pytrace=False)


def bytes_to_read(pipe):
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def is_full(pipe):
    before = bytes_to_read(pipe)
    time.sleep(0.2)
    return 0 < before == bytes_to_read(pipe)


def is_alive(pid_file):
    try:
        os.kill(int(pid_file.read_text()), 0)
    except ProcessLookupError:
        return False
    return True


class TestState:
    def test_the_draw_key_is_made_once_and_is_its_owners_alone(self, state):
        with state.held():
            state.prepare()
            key = state.draw_key_file.read_text()
            state.prepare()
        assert len(bytes.fromhex(key)) == 32
        assert state.draw_key_file.read_text() == key
        assert mode_of(state.draw_key_file) == "0o600"
        assert mode_of(state.folder) == "0o700"

    def test_one_run_alone_holds_it_and_the_other_is_told_where(self, state):
        assert not state.is_held()
        with state.held():
            state.note(pid=os.getpid(), address="http://127.0.0.1:8007/")
            assert state.is_held()
            with (
                pytest.raises(StateInUse, match=rf"runs already at http://127.0.0.1:8007/ \(process {os.getpid()}\)"),
                State(state.folder).held(),
            ):
                pass
        assert not state.is_held()
        with state.held():
            pass

    def test_what_a_killed_run_left_behind_is_named(self, state):
        left_behind = subprocess.Popen(["sleep", "60"], start_new_session=True)
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        try:
            with state.held():
                state.note(pid=gone.pid, address="", groups=[left_behind.pid], readers=[gone.pid])
                with pytest.raises(StateInUse, match=f"kill -9 -- -{left_behind.pid}$"), State(state.folder).held():
                    pass
        finally:
            left_behind.kill()
            left_behind.wait()

    def test_one_that_has_just_begun_is_not_taken_for_what_stood_there_before(self, state):
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        starting = pytest.raises(StateInUse, match=r"The site is just being started in ")
        with state.held():
            state.note(pid=gone.pid, address="", groups=[gone.pid], readers=[])
            with starting, State(state.folder).held():
                pass
            (state.folder / "run.json").unlink()
            with starting, State(state.folder).held():
                pass

    def test_emptying_leaves_the_folder_and_who_holds_it(self, state):
        with state.held():
            state.prepare()
            state.empty()
            assert sorted(path.name for path in state.folder.iterdir()) == ["README.txt", "run.json", "run.lock"]
            assert state.is_held()

    def test_a_folder_with_somebody_elses_files_is_not_emptied(self, tmp_path):
        (tmp_path / "thesis.txt").touch()
        state = State(tmp_path)
        with state.held(), pytest.raises(StateNotOurs):
            state.empty()
        assert (tmp_path / "thesis.txt").exists()

    def test_what_was_broken_off_is_known(self, state):
        with state.held():
            with pytest.raises(KeyboardInterrupt), state.finishing():
                raise KeyboardInterrupt
            assert state.broken_off
            with state.finishing():
                pass
            assert not state.broken_off


def test_a_busy_port_is_passed_over():
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = busy.getsockname()[1]
        assert launch.find_free_port(port) > port


def test_the_key_of_the_draw_is_in_no_environment_but_the_workers(state, monkeypatch):
    monkeypatch.setenv("DRAW_KEY_FILE", "/somewhere/draw.key")
    environment = launch.environment_for_children(state, 8000)
    assert "DRAW_KEY_FILE" not in environment
    processes = launch.read_procfile(ROOT / "Procfile")
    assert [name for name, command in processes.items() if "DRAW_KEY_FILE" in command] == ["worker"]


def test_the_procfile_has_the_four_processes():
    assert list(launch.read_procfile(ROOT / "Procfile")) == ["web", "worker", "beat", "bots"]


class TestSupervisor:
    """A child that is killed comes back; one that ends does not."""

    @pytest.fixture
    def supervise(self, tmp_path):
        started = []

        def start(program):
            command = [sys.executable, "-m", "roulette_site.common.launch_supervisor", "--pid-file", f"{tmp_path}/pid"]
            process = subprocess.Popen(
                [*command, "--", sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True
            )
            started.append(process)
            return process

        yield start
        for process in started:
            process.terminate()
            process.communicate()

    @pytest.fixture
    def child(self, tmp_path):
        def read(other_than=None):
            try:
                pid = int((tmp_path / "pid").read_text())
            except FileNotFoundError:
                return None
            return None if pid == other_than else pid

        return read

    def test_it_starts_a_killed_child_again(self, supervise, child):
        supervisor = supervise("import time; time.sleep(60)")
        first = wait_for(child)
        os.kill(first, signal.SIGKILL)
        second = wait_for(lambda: child(other_than=first))
        os.kill(second, 0)
        assert supervisor.poll() is None

    def test_a_stop_is_passed_on_and_the_pid_file_goes(self, supervise, child):
        program = "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(0)); print('on', flush=True)"
        supervisor = supervise(f"{program}; time.sleep(60)")
        assert supervisor.stdout.readline() == "on\n"
        supervisor.terminate()
        assert supervisor.wait(PATIENCE_SECONDS) == 0
        assert child() is None

    def test_it_ends_as_the_child_ended(self, supervise):
        supervisor = supervise("raise SystemExit(3)")
        assert supervisor.wait(PATIENCE_SECONDS) == 3
        assert "ended with status 3" in supervisor.stdout.read()

    def test_it_gives_up_on_a_child_that_dies_again_and_again(self, supervise):
        supervisor = supervise("import os; os.kill(os.getpid(), 9)")
        assert supervisor.wait(PATIENCE_SECONDS) == 1
        said = supervisor.stdout.read()
        assert said.count("started again") == 5
        assert "SIGKILL 6 times in a minute; giving up" in said


class TestLauncher:
    """honcho's manager with our own processes: one that ends ends all, and is named."""

    @pytest.fixture
    def launcher(self, state, tmp_path):
        program = tmp_path / "launcher.py"
        program.write_text(
            "import sys, json\n"
            "from pathlib import Path\n"
            "from roulette_site.common.launch import Launcher, State\n"
            "state = State(Path(sys.argv[1]))\n"
            "with state.held():\n"
            "    launcher = Launcher(state, sys.argv[2], ['the site answers'])\n"
            "    for name, command in json.loads(sys.argv[3]).items():\n"
            "        launcher.add_process(name, command)\n"
            "    launcher.loop()\n"
            "print('ended by itself:', launcher.ended_by_itself)\n"
        )
        started = []

        def start(address="http://127.0.0.1:9/", **processes):
            # Buffered, as for anyone who starts it at a terminal, whatever the surroundings of the tests say.
            surroundings = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
            process = subprocess.Popen(
                [sys.executable, program, state.folder, address, json.dumps(processes)],
                env=surroundings | {"PYTHONPATH": str(ROOT)},
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            started.append(process)
            return process

        yield start
        for process in started:
            process.terminate()
            try:
                process.communicate(timeout=PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            process.stdout.close()

    def test_the_one_that_ended_is_named(self, launcher):
        process = launcher(steady="exec sleep 60", weak="sleep 0.3; exit 7")
        assert "ended by itself: ['weak']" in process.communicate(timeout=PATIENCE_SECONDS)[0]

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_stop_reaches_all_even_before_all_have_started(self, launcher, number):
        process = launcher(one="exec sleep 60", other="exec sleep 60")
        assert "started" in process.stdout.readline()
        process.send_signal(number)
        assert "ended by itself: []" in process.communicate(timeout=PATIENCE_SECONDS)[0]

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_stop_reaches_all_while_nobody_reads(self, launcher, tmp_path, number):
        talker, other = tmp_path / "talker", tmp_path / "other"
        process = launcher(
            other=f"echo $$ > {other}; exec sleep 60",
            talker=f"echo $$ > {talker}; while true; do echo {'x' * 4000}; sleep 0.05; done",
        )
        # What is written to a pipe that is full waits: the signal then interrupts the print of a line for certain.
        wait_for(lambda: talker.exists() and other.exists() and bytes_to_read(process.stdout) > MANY_BYTES)
        wait_for(lambda: is_full(process.stdout))
        process.send_signal(number)
        wait_for(lambda: not is_alive(talker) and not is_alive(other))
        said = process.communicate(timeout=PATIENCE_SECONDS)[0]
        assert f"{number.name} received" in said
        assert "ended by itself: []" in said

    def test_one_that_will_not_end_is_killed(self, launcher):
        process = launcher(deaf="trap '' TERM; echo deaf; while true; do sleep 0.1; done")
        read_until(process, "deaf   | deaf\n")
        began = time.monotonic()
        process.terminate()
        process.communicate(timeout=PATIENCE_SECONDS)
        assert time.monotonic() - began < 10

    def test_a_reader_that_goes_away_stops_all(self, launcher):
        process = launcher(talker="while true; do echo and another thing; sleep 0.05; done")
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(PATIENCE_SECONDS) is not None

    def test_it_says_when_the_site_answers(self, launcher, state):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        process = launcher(
            f"http://127.0.0.1:{port}/",
            web=f"exec {sys.executable} -m http.server {port} --bind 127.0.0.1 --directory {state.folder.parent}",
        )
        read_until(process, "the site answers\n")
        with pytest.raises(StateInUse, match=f"http://127.0.0.1:{port}/"), State(state.folder).held():
            pass
        process.terminate()
        process.communicate(timeout=PATIENCE_SECONDS)


def test_who_reads_the_facts_while_they_are_written_finds_them_whole(state):
    facts = [{"pid": 1}, {"pid": 2, "groups": list(range(300))}]
    with state.held():
        state.note(**facts[0])
        stop = threading.Event()

        def write():
            while not stop.is_set():
                for one in facts:
                    state.note(**one)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(2000):
                assert json.loads((state.folder / "run.json").read_text()) in facts
        finally:
            stop.set()
            writer.join()


class TestPreparing:
    """A stop while the demonstration is made, before there is a launcher."""

    @pytest.fixture(autouse=True)
    def _own_handlers(self):
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = [signal.getsignal(number) for number in numbers]
        yield
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
    def test_a_stop_that_comes_while_an_object_is_tidied_up_is_not_lost(self, tmp_path, monkeypatch, settings, number):
        class Old:
            def __del__(self):
                signal.raise_signal(number)

        went_on = []
        settings.VAR_DIR = tmp_path / "var"
        monkeypatch.setattr(run, "call_command", lambda *_, **__: Old() and None)
        monkeypatch.setattr(run.Command, "_embedded_database", lambda _: None)
        monkeypatch.setattr(run.subprocess, "Popen", lambda *_, **__: went_on.append("seeding"))
        with pytest.raises(CommandError, match="Stopped while preparing") as stopped:
            run.Command().handle(port=8000, days=1, reset=False)
        assert (stopped.value.returncode, went_on) == (130, [])
