# Each target sets up what it needs by itself: a machine with make and python3 (3.11 or newer, with venv) is enough.
# `make` lists the targets. ARGS="..." is passed on: make test ARGS="-k prison -x".

PYTHON ?= python3
ARGS ?=
VENV := .venv/bin

.DEFAULT_GOAL := help
.PHONY: help run plug demo-reset test lint check golden openapi bench long lock format environment environment-dev

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do \
		printf '  %-12s %s\n' $$name "$$text"; done

run: environment ## run the demonstration on this machine, until Ctrl-C (BOTS=0: without bots; PORT=8000)
	@$(VENV)/python manage.py run $(ARGS)

plug: environment ## kill the worker of the running demonstration in mid-spin, and watch it recover
	@$(VENV)/python manage.py plug

demo-reset: environment ## begin the demonstration anew (stop it first)
	@$(VENV)/python manage.py run --reset

test: environment-dev ## run all tests, on SQLite and on PostgreSQL, side by side
	@$(VENV)/python tools/run_tests.py $(ARGS)

lint: environment-dev ## check style, types, layers, templates, migrations and generated files
	@$(VENV)/python tools/lint.py

check: lint test ## what CI runs: lint and test

golden: environment-dev ## write the golden files and the traceability page anew; review the diff
	@$(VENV)/python manage.py golden
	@$(VENV)/python tools/traceability.py

openapi: environment-dev ## write docs/openapi.yaml anew
	@$(VENV)/python manage.py spectacular --validate --fail-on-warn --file docs/openapi.yaml

format: environment-dev ## put code and templates into the project's form
	@$(VENV)/ruff check --fix . && $(VENV)/ruff format . && $(VENV)/djlint templates --reformat --quiet

bench: environment-dev ## measure speed as ratios to anchors in the same run (ARGS="--json results.json")
	@$(VENV)/python benchmarks/run.py $(ARGS)

long: environment-dev ## what takes long, with its dated result in docs/evidence/ (some of it over an hour)
	@$(VENV)/python tools/long.py

# Universal: one lock for every platform and every Python from the oldest on. No index and no path of this machine gets
# into the files.
COMPILE := $(VENV)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links
lock: environment-dev ## find new versions within the bounds of requirements*.in, and lock them with their hashes
	@$(COMPILE) --upgrade requirements.in --output-file requirements.txt
	@$(COMPILE) --upgrade requirements-dev.in --output-file requirements-dev.txt

environment:
	@command -v $(PYTHON) > /dev/null || { echo "Python 3.11 or newer is needed, and there is no $(PYTHON)." >&2; exit 1; }
	@$(PYTHON) tools/set_up.py run

environment-dev:
	@command -v $(PYTHON) > /dev/null || { echo "Python 3.11 or newer is needed, and there is no $(PYTHON)." >&2; exit 1; }
	@$(PYTHON) tools/set_up.py dev
