# Every task of the project; `make help` lists them. Needs make and Python 3.11 or newer, nothing else.

PYTHON ?= python3
PORT ?= 8000
# pytest's further arguments, such as ARGS='-k sign_in'.
ARGS ?=
# `make lock UPGRADE=--upgrade` takes the newest versions that requirements*.in allow; without it pins stay if they may.
UPGRADE ?=

BIN := .venv/bin
STAMP := .venv/.installed
# What a developer's or a server's environment says must not change what is checked.
CLEAN := env -i PATH="$$PATH" HOME="$$HOME" LANG=C.UTF-8 TERM="$$TERM" $${CI:+CI="$$CI"} VAR_DIR=var/checks
# A site at work, as `check --deploy` wants to see it; nothing is connected to.
AT_WORK := ROADKILL_MODE=production SITE_URL=https://race.example.org REDIS_URL=redis://localhost:6379/0 \
	DATABASE_URL=postgresql://roadkill@localhost/roadkill EMAIL_HOST=localhost MAIL_FROM=turns@race.example.org \
	SECRET_KEY=this-key-signs-nothing-it-is-as-long-as-a-real-one-must-be
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-annotate --no-header $(UPGRADE)

.DEFAULT_GOAL := help
.PHONY: help play test check format lint types layers migrations deployment test-services transcripts lock

help: ## Print this list
	@grep -hE '^[a-z.-]+:.*## ' Makefile | sed -E 's/^([a-z.-]+):.*## /\1|/' \
		| while IFS='|' read -r target what; do printf '  make %-15s %s\n' "$$target" "$$what"; done

.venv: $(STAMP) ## Make the environment from the pinned lock, if it is missing or out of date

$(STAMP): requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "Python 3.11 or newer is needed;" \
		"$(PYTHON) is $$($(PYTHON) --version 2>/dev/null || echo missing)." \
		"Name another: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "$(PYTHON) cannot make environments: its modules" \
		"venv and ensurepip are missing (on Debian: apt-get install python3-venv)." >&2; exit 1; }
	@echo "Making the environment in .venv; the first time this takes a minute or two."
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $(STAMP)

play: $(STAMP) ## Start everything on this machine with a demo race; PORT=8000 says where
	@exec env PORT=$(PORT) $(BIN)/python manage.py play

test: $(STAMP) ## Run the whole suite on SQLite, without any server
	$(CLEAN) $(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

check: format lint types layers migrations deployment test ## Run all that must pass before a change lands

format: $(STAMP)
	$(BIN)/ruff format --check .

lint: $(STAMP)
	$(BIN)/ruff check .

types: $(STAMP)
	$(CLEAN) $(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

migrations: $(STAMP)
	$(CLEAN) DATABASE_URL=sqlite:///:memory: $(BIN)/python manage.py makemigrations --check --dry-run

deployment: $(STAMP)
	$(CLEAN) $(AT_WORK) $(BIN)/python manage.py check --deploy --fail-level WARNING

test-services: $(STAMP) ## Run the flows on a real PostgreSQL, Redis, Postfix and Dovecot
	$(CLEAN) SERVICES_DATABASE_URL="$$SERVICES_DATABASE_URL" SERVICES_REDIS_URL="$$SERVICES_REDIS_URL" \
		$(BIN)/python -m tests.services $(ARGS)

transcripts: $(STAMP) ## Write the golden transcripts anew, to be reviewed as a diff
	$(CLEAN) $(BIN)/python -m pytest -q tests/conformance --write-transcripts $(ARGS)

lock: $(STAMP) ## Compile requirements*.in into the pinned lock
	$(COMPILE) requirements.in --output-file requirements.txt
	$(COMPILE) requirements-dev.in --output-file requirements-dev.txt
