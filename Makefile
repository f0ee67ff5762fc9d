# Thin targets: each line is one call of a real tool. `make venv` needs python3 (3.11 or newer) only.
PYTHON ?= python3
BIN := .venv/bin
STYLUA_FLAGS := --indent-type Spaces --indent-width 2 --column-width 100 --quote-style AutoPreferSingle

# make test NVIM=/path/to/nvim TESTS=tests/editor/look: another Neovim, and a part of the suite.
# Inside of a terminal of Neovim the environment has a NVIM, too: the address of that one.
ifeq ($(origin NVIM),command line)
export ACP_NVIM := $(abspath $(shell command -v "$(NVIM)"))
$(if $(ACP_NVIM),,$(error NVIM=$(NVIM) is not a program))
endif

.PHONY: venv peers demo test lint bench lock pictures night release owner

venv: .venv/.complete

.venv/.complete: pyproject.toml
	@$(PYTHON) -I -c 'import sys; sys.exit(sys.version_info < (3, 11) and "acp.nvim needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 " + "$(MAKECMDGOALS)")'
	@echo 'Making .venv: packages, test tools and a Neovim. This takes about a minute, once.'
	@if command -v uv >/dev/null; then uv venv --quiet --allow-existing --python $(PYTHON) .venv && uv pip install --quiet --python $(BIN)/python -e '.[dev]'; \
	else $(PYTHON) -I -m venv .venv && PIP_USER=0 $(BIN)/python -I -m pip install --quiet --disable-pip-version-check -e '.[dev]'; fi
	@echo 'Preparing a quick start ...'
	@$(BIN)/python -I -m compileall -q python rplugin
	@touch $@

# The servers that tests of remote agents talk to: the Python one, and where npm is the TypeScript one.
peers: .venv/peers/.complete

.venv/peers/.complete: .venv/.complete $(wildcard tests/support/peers/*.txt tests/support/peers/*.json)
	@mkdir -p .venv/peers
	@if command -v uv >/dev/null; then uv pip install --quiet --python $(BIN)/python --target .venv/peers/python -r tests/support/peers/requirements.txt; \
	else $(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade --target .venv/peers/python -r tests/support/peers/requirements.txt; fi
	@cp tests/support/peers/package.json .venv/peers/
	@if command -v npm >/dev/null; then npm install --silent --no-audit --no-fund --prefix .venv/peers; fi
	@touch $@

demo: venv
	@$(BIN)/python -I -m acp_tutor.demo

test: lint peers
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal $(TESTS)

lint: venv
	$(BIN)/ruff check python rplugin tests bench
	$(BIN)/ruff format --check python rplugin tests bench
	$(BIN)/mypy
	$(BIN)/mypy bench
	$(BIN)/lint-imports
	@if command -v luacheck >/dev/null; then luacheck -q lua plugin; else echo "luacheck is not here: Lua is not linted"; fi
	@if command -v stylua >/dev/null; then stylua --check $(STYLUA_FLAGS) lua plugin; else echo "stylua is not here: Lua format is not checked"; fi

# What `:Acp install` installs, with hashes; needs uv. To be called when pyproject.toml has changed, and for new versions.
lock:
	uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate pyproject.toml -o requirements.txt

# The scene of the README, as a film and as pictures, from a real screen.
pictures: venv
	$(BIN)/python -m tests.support.screen.scene doc

# What is too long for each change: drawn plans, disturbed talks, slow hosts. SEED draws others.
night: SEED ?= 1
night: venv
	$(BIN)/python -m tests.proof.long_run --examples 2000 --seed $(SEED)
	$(BIN)/python -m tests.fuzz.long_run --minutes 10 --seed $(SEED)
	ACP_TEST_DELAYS=$(SEED) $(BIN)/python -m pytest tests/editor -q --numprocesses auto

# dist/ with archive, rockspec, rock and checksums: of the tag of the version, or of REVISION to try it.
release:
	.ci/release $(REVISION)

# The account that publishes the plugin, in all places that name it.
owner:
	.ci/owner $(OWNER)

bench: venv
	$(BIN)/python bench/everyday.py
	$(BIN)/python bench/large.py
	$(BIN)/python bench/sizes.py
	$(BIN)/python bench/flood.py
	$(BIN)/python bench/stalls.py
	$(BIN)/python bench/tools.py
	$(BIN)/python bench/stream.py
	$(BIN)/python bench/markdown.py
	$(BIN)/python bench/edit.py
	$(BIN)/python bench/baselines.py
	$(BIN)/python bench/storage.py
