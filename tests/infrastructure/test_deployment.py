"""What is handed out to operate the site, against the code: no container engine runs here, but names can be compared."""

import ast
import importlib.util
import re
import shlex
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("roulette_site", "wallets", "tables", "sessions_app")
# What is no setting of the site: the shell's own, and what compose.yaml itself is given.
NOT_THE_SITES = {"PATH", "DJANGO_SETTINGS_MODULE"}
FOR_COMPOSE_ALONE = {"POSTGRES_PASSWORD", "SITE_POSTGRES_PASSWORD", "SITE_ADDRESS"}
# What is for the demonstration or another kind of machine, follows from another, or suits every house as it is.
NOT_HANDED_ON = {
    "BOTS", "PORT", "DEMO_SITE", "VAR_DIR", "CSRF_TRUSTED_ORIGINS", "SITE_URL", "DB_PREPARE", "IDLE_SECONDS",
    "LOGIN_FAILURES_OF_ADDRESS", "REGISTER_SECONDS",
}  # fmt: skip
PROGRAMS = {"celery": "celery", "gunicorn": "gunicorn", "uvicorn": "uvicorn"}


def read_variables():
    """Every variable that the code reads, with its default where that stands in the code as a constant."""
    found = {}
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            if file.match("settings/test.py"):
                continue
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and _reads_environment(node.func):
                    found[node.args[0].value] = _default_of(node)
    return {name: default for name, default in found.items() if name not in NOT_THE_SITES}


def _reads_environment(function):
    text = ast.unparse(function)
    return text in ("os.environ.get", "os.getenv") or re.fullmatch(r"env(\.\w+)?", text) is not None


def _default_of(call):
    defaults = [word.value for word in call.keywords if word.arg == "default"] + call.args[1:]
    try:
        value = ast.literal_eval(defaults[0])
    except (IndexError, ValueError):
        return None
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def example_variables():
    """Each variable of .env.example with its default and the comment above it."""
    found = {}
    for paragraph in (ROOT / ".env.example").read_text().split("\n\n"):
        *comment, last = paragraph.strip().splitlines()
        match = re.fullmatch(r"#([A-Z_]+)=(.*)", last)
        if match:
            found[match[1]] = (match[2], " ".join(comment))
    return found


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def our_services(compose):
    return {name: one for name, one in compose["services"].items() if one["image"] == "roulette-house"}


def command_of(service):
    """The command as a list; without one it is the image's."""
    if "command" in service:
        return shlex.split(service["command"])
    dockerfile = (ROOT / "Dockerfile").read_text()
    return yaml.safe_load(re.search(r"^CMD (\[.*?\])", dockerfile.replace("\\\n", ""), re.MULTILINE)[1])


def test_the_example_names_every_variable_and_no_other():
    assert set(example_variables()) == set(read_variables())


def test_the_example_says_what_each_variable_is_for():
    for name, (_, comment) in example_variables().items():
        assert len(comment) > 20, name


def test_the_example_has_the_defaults_of_the_code():
    code = {name: default for name, default in read_variables().items() if default is not None}
    example = {name: default for name, (default, _) in example_variables().items()}
    assert {name: example[name] for name in code} == code


def test_services_are_given_variables_that_the_site_reads(compose):
    for name, service in our_services(compose).items():
        assert set(service["environment"]) <= set(read_variables()), name


def test_compose_asks_for_variables_that_the_example_or_its_own_head_explains():
    text = (ROOT / "compose.yaml").read_text()
    head = text[: text.index("\nname:")]
    asked = set(re.findall(r"\$\{([A-Z_]+)", text))
    assert asked <= set(example_variables()) | FOR_COMPOSE_ALONE
    for name in FOR_COMPOSE_ALONE:
        assert name in head


def test_what_a_house_decides_reaches_its_services(compose):
    """A setting that compose does not hand on would silently keep its default."""
    handed_on = set().union(*(one["environment"] for one in our_services(compose).values()))
    assert set(example_variables()) - handed_on == NOT_HANDED_ON


def test_every_command_can_be_found(compose):
    for name, service in our_services(compose).items():
        program, *arguments = command_of(service)
        if program == "python":
            assert arguments[0] == "manage.py"
            assert arguments[1] in get_commands(), name
            continue
        assert importlib.util.find_spec(PROGRAMS[program]), name
        application = next(one for one in arguments if one.startswith("roulette_site"))
        module, _, attribute = application.partition(":")
        assert hasattr(importlib.import_module(module), attribute or "celery_app"), name


def test_one_service_alone_has_the_key_of_the_draw_and_it_is_the_one_that_draws(compose):
    with_key = [name for name, one in compose["services"].items() if "DRAW_KEY_FILE" in one.get("environment", {})]
    with_secret = [name for name, one in compose["services"].items() if one.get("secrets")]
    assert with_key == with_secret == ["rounds"]
    assert "--queues rounds" in compose["services"]["rounds"]["command"]


def test_the_site_does_not_work_as_the_owner_of_its_tables(compose):
    owner = compose["services"]["postgres"]["environment"]["POSTGRES_USER"]
    users = {
        name: re.match(r"postgresql://(\w+):", one["environment"]["DATABASE_URL"])[1]
        for name, one in our_services(compose).items()
    }
    assert users.pop("migrate") == owner
    assert set(users.values()) == {"roulette_site"} != {owner}
    assert our_services(compose)["migrate"]["environment"]["SITE_DATABASE_ROLE"] == "roulette_site"
    assert "CREATE ROLE roulette_site " in compose["configs"]["site_role"]["content"]


def test_every_queue_that_tasks_go_to_has_a_worker(compose):
    queues = set()
    for package in PACKAGES:
        for file in (ROOT / package).rglob("*.py"):
            queues |= set(re.findall(r'\bqueue"?[=:] ?"(\w+)"', file.read_text()))
    assert queues == {"rounds", "background"}
    commands = " ".join(" ".join(command_of(one)) for one in our_services(compose).values())
    for queue in queues:
        assert f"--queues {queue}" in commands
    procfile = (ROOT / "Procfile").read_text()
    assert set(re.search(r"-Q (\S+)", procfile)[1].split(",")) == queues


def test_what_is_waited_for_exists_and_tells_its_health(compose):
    services = compose["services"]
    for service in services.values():
        for other, how in service.get("depends_on", {}).items():
            assert other in services
            if how["condition"] == "service_healthy":
                assert "test" in services[other]["healthcheck"]
        for volume in service.get("volumes", []):
            assert volume.split(":")[0] in compose["volumes"]
        for config in service.get("configs", []):
            assert config["source"] in compose["configs"]


def test_every_long_running_service_but_beat_tells_its_health(compose):
    silent = [name for name, one in compose["services"].items() if "test" not in one.get("healthcheck", {})]
    assert set(silent) == {"beat", "migrate", "proxy"}


def test_the_proxy_sends_streams_to_the_service_that_can_keep_them_open(compose):
    caddyfile = compose["configs"]["caddyfile"]["content"]
    assert re.search(r"@streams path /events$", caddyfile, re.MULTILINE)
    assert "reverse_proxy @streams events:8000" in caddyfile
    assert "uvicorn" in compose["services"]["events"]["command"]


def test_the_image_is_built_from_files_that_exist_and_holds_no_secret():
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert ignored[1] == "*"
    kept = [line[1:] for line in ignored if line.startswith("!")]
    assert set(PACKAGES) <= set(kept)
    assert not {".env", "var", ".git", ".venv"} & set(kept)
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "\nUSER roulette\n" in dockerfile
    assert "--require-hashes" in dockerfile
    assert "collectstatic" in dockerfile


def test_no_file_names_this_machine_or_an_index():
    """What is installed comes from whatever index the machine is set up for; the hashes make sure of what it is."""
    for name in (
        "requirements.txt",
        "requirements-dev.txt",
        "Makefile",
        "Dockerfile",
        "compose.yaml",
        "pyproject.toml",
    ):
        text = (ROOT / name).read_text()
        # The Makefile has these as switches that keep them out.
        assert not re.search(r"(?<!no-emit-)(index-url|find-links)", text), name
        assert str(ROOT) not in text, name
        assert not re.search(r"https?://(?!127\.0\.0\.1)", text), name


def test_what_decides_whether_the_code_is_good_checks_everything_and_skips_nothing():
    """tests/infrastructure/test_outcomes.py shows what REQUIRE_ALL does; this, that it is asked for."""
    lines = (ROOT / ".ci" / "run").read_text().splitlines()
    assert "export REQUIRE_ALL=1" in lines
    assert sum("REQUIRE_ALL" in line for line in lines) == 1
    assert "set -euo pipefail" in lines
    assert re.fullmatch(r'exec timeout --kill-after=\d+ "\$LIMIT_SECONDS" make check', lines[-1])
    assert _needs_of("check") == ["lint", "test"]


def _needs_of(target):
    (needs,) = re.findall(rf"^{target}:([^#\n]*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    return needs.split()
