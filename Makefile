# Everything runs in .venv, made on first use and refreshed when pyproject.toml changes.
# Needs python3 (3.11 or later; another one: make PYTHON=python3.13), make and git.

PYTHON ?= python3
ifeq ($(OS),Windows_NT)
BIN := .venv/Scripts
else
BIN := .venv/bin
endif

# Where it is set, each process would compile everything again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo docs quick test test-long postgresql chromium zsh test-wheel test-clients test-frameworks bench-frameworks explore-clients drift lint format mutate-guards explore attack fuzz bench bench-daemon bench-clients bench-ui clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile

demo: .venv/.installed ## install anyhook into .venv and take the tour
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/tour.sh

quick: .venv/.installed-dev ## before a commit, under a minute: lint, types, architecture and the tests of what changed
	$(BIN)/python -m tools.quick

# Lint runs beside the tests, and three of these at a time on two cores: they often wait for a process. What lint found
# comes last.
test: .venv/.installed-dev postgresql chromium zsh ## everything that must pass: lint, types, architecture, tests
	@mkdir -p build
	@{ $(LINT); } >build/lint.log 2>&1 & lint=$$!; trap 'kill $$lint' INT TERM; \
	$(BIN)/python -m pytest -n 3 --dist worksteal -m "not long"; tests=$$?; \
	wait $$lint; lint=$$?; cat build/lint.log; exit $$((tests ? tests : lint))

test-long: .venv/.installed-dev ## tests with many combinations, processes or examples: vanishing guards, daemon against exec, killed deploys
	ANYHOOK_PROPERTIES=thorough $(BIN)/python -m pytest -n 3 --dist worksteal -m "long or hypothesis"

# The tests of journals in PostgreSQL start a server of their own; without the program they are skipped.
postgresql:
	@ls /usr/lib/postgresql/*/bin/pg_ctl >/dev/null 2>&1 || command -v pg_ctl >/dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		DEBIAN_FRONTEND=noninteractive apt-get install -q -y postgresql >/dev/null 2>&1; } || true

# The tests of the web page open it in a browser; without one they are skipped.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		DEBIAN_FRONTEND=noninteractive apt-get install -q -y chromium >/dev/null 2>&1; } || true

# Entries are run in every shell that a client may use; those that are missing are left out.
zsh:
	@command -v zsh >/dev/null || \
		{ test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
		DEBIAN_FRONTEND=noninteractive apt-get install -q -y zsh >/dev/null 2>&1; } || true

test-wheel: ## wheel and sdist: twine check, pip, pipx, uvx, pre-commit and the action; the vectors on the wheel
	rm -rf build/wheel
	$(PYTHON) tools/try_distribution.py build/wheel
	build/wheel/$(BIN:.venv/%=venv/%)/python conformance/referee.py --quiet

test-clients: .venv/.installed-dev ## real clients, installed from npm (1.5 GB) and driven offline: needs npm and Linux namespaces; else skipped
	ANYHOOK_REAL_CLIENTS=1 $(BIN)/python -m pytest tests/realclients

test-frameworks: ## the adapters in real frameworks, oldest and newest release, in environments of their own (2 GB): FRAMEWORK=langchain
	$(PYTHON) tools/try_frameworks.py build/frameworks $(FRAMEWORK)

bench-frameworks: .venv/.installed-dev ## CPU time that hooks add to a tool call, of each framework that is installed in .venv
	$(BIN)/python -m bench.frameworks $(FRAMEWORK)

drift: .venv/.installed ## what the newest releases of the clients do differently: CLIENT=codex, or CLIENT=codex@0.147.0
	$(BIN)/python conformance/drift.py $(if $(TABLE),--table $(TABLE)) $(CLIENT)

explore-clients: .venv/.installed-dev ## random situations to a real client and to the engine: CLIENT=codex MINUTES=10 SEED=7
	$(BIN)/python -m conformance.explore.explore $(or $(CLIENT),codex) --minutes $(MINUTES) --seed $(SEED)

LINT = $(BIN)/python -m ruff check && $(BIN)/python -m ruff format --check && $(BIN)/python -m mypy && $(BIN)/lint-imports && $(BIN)/codespell
lint: .venv/.installed-dev ## ruff, mypy, import-linter, codespell
	$(LINT)

docs: .venv/.installed-dev ## write the generated pages, and build the site into build/site
	$(BIN)/python -m tools.site.write_pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

format: .venv/.installed-dev ## let ruff repair and format the code
	$(BIN)/python -m ruff check --fix
	$(BIN)/python -m ruff format

mutate-guards: .venv/.installed-dev ## which changes of the ready-made guards no test notices: GUARD=files, or SAMPLE=200 SEED=1
	$(BIN)/python -m tools.mutate_guards $(GUARD) $(if $(SAMPLE),--sample $(SAMPLE) --seed $(SEED))

explore: .venv/.installed-dev ## property tests with many new examples, to find new mistakes
	ANYHOOK_PROPERTIES=explore $(BIN)/python -m pytest -n 2 tests/model tests/dialects tests/sources tests/engine tests/lint tests/testing \
		tests/serve/test_equivalence.py tests/serve/test_equivalence_of_vectors.py tests/daemon_socket/test_protocol.py \
		tests/vanishing_guards tests/deploy/test_killed.py

attack: .venv/.installed-dev ## what a hostile repository, hook or model may try
	$(BIN)/python -m pytest tests/attack tests/trust tests/deploy/test_killed.py \
		tests/record/test_secret_forms.py tests/record/test_hidden_forms.py tests/guards/test_secret_patterns.py \
		tests/record/test_own_patterns.py tests/record/test_cut.py tests/record/store/test_chain.py tests/record/store/test_follow.py \
		tests/guards/test_patterns.py tests/serve/test_watchdog.py tests/serve/test_memory.py tests/serve/test_client_lacks.py

MINUTES ?= 1
SEED ?= 0
fuzz: .venv/.installed-dev ## made-up inputs for every parser, codec, matcher and the protocol: MINUTES=5 SEED=0
	@$(BIN)/python -c 'import atheris' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[fuzz]' \
		|| echo "Without coverage guidance: atheris cannot be installed here"
	$(BIN)/python -m fuzz.fuzz --minutes $(MINUTES) --seed $(SEED)

bench: .venv/.installed ## how fast the command starts and what the engine adds to a hook, as ratios
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/exec.py
	$(BIN)/python bench/engine.py
	$(BIN)/python bench/guards.py
	$(BIN)/python bench/cases.py
	$(BIN)/python bench/guard_share.py

bench-daemon: .venv/.installed ## what a client waits for, with and without the daemon, and with 64 clients at once
	-$(BIN)/python bench/shim.py
	$(BIN)/python bench/load.py
	$(BIN)/python bench/journal.py

bench-clients: .venv/.installed ## seconds of one start of each real client, and situations a minute: needs npm and Linux namespaces
	$(BIN)/python bench/clients.py $(CLIENT)

bench-ui: .venv/.installed-dev chromium ## how soon the page shows a journal of 10,000 events, in a real browser
	$(BIN)/python -m bench.ui

clean: ## remove .venv and everything that tools left behind
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "anyhook needs Python 3.11 or later; say make PYTHON=...")'
	$(PYTHON) -m venv .venv
	@touch $@

# Also after a change of the version: the compiled client has it, and a daemon of another version does not answer it.
.venv/.installed: pyproject.toml src/anyhook/__init__.py | .venv/.created
	@echo "Installing anyhook and what it needs into .venv:"
	$(BIN)/python -m pip install --disable-pip-version-check -e .
	@touch $@

.venv/.installed-dev: pyproject.toml src/anyhook/__init__.py | .venv/.created
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch .venv/.installed $@
