# Every task of the project; `make help` lists them. Needs make and Python 3.11 or newer, nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
STAMP := $(VENV)/.installed
# The whole suite but for what needs servers or a browser.
WITHOUT_SERVERS := --ignore=tests/services --ignore=tests/browser

.DEFAULT_GOAL := help
.PHONY: help play test

help: ## Print this list
	@grep -hE '^[a-z.-]+:.*## ' Makefile | sed -E 's/^([a-z.-]+):.*## /\1|/' | while IFS='|' read -r target what; do printf '  make %-15s %s\n' "$$target" "$$what"; done

.venv: $(STAMP) ## Make the environment from the pinned lock, if it is not there or out of date

$(STAMP): requirements-dev.txt requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) --version 2>&1 || echo not there). Name another one: make PYTHON=/path/to/python3.12 .venv" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make environments: its modules venv and ensurepip are missing (on Debian: apt-get install python3-venv)." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $(STAMP)

play: $(STAMP) ## Start everything on this machine with a demo race; PORT=8000 says where
	PORT=$(PORT) $(BIN)/python manage.py play

test: $(STAMP) ## Run the whole suite on SQLite, without any server
	$(BIN)/python -m pytest -n auto $(WITHOUT_SERVERS)
