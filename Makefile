# Two commands do everything from a fresh checkout: `make demo` and `make test`.
# They need Python 3.10 or newer with venv, a C compiler, and a Python package index.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
READY   = $(VENV)/.ready
# The environment that builds the sdist and the wheels; it needs no TensorFlow.
PACKAGER = build/packager
# A worker takes up to 1 GB. One for each core: on two cores three workers took 12% longer for 780 tests.
WORKERS ?= $(shell n=$$(nproc 2>/dev/null || echo 2); [ $$n -gt 4 ] && echo 4 || echo $$n)
export WORKERS
# A wheel of TensorFlow has 550 MB.
export UV_HTTP_TIMEOUT ?= 300

.PHONY: help demo test lint types unit matrix proof conformance data guide guide-serve bench gpu-check dist clean check-tools

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 16

check-tools:
	@command -v $(PYTHON) >/dev/null || { echo "tf1mem: $(PYTHON) is missing: install Python 3.10 or newer, or run make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "tf1mem: $(PYTHON) is older than 3.10: run make PYTHON=/path/to/a/newer/python3"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "tf1mem: $(PYTHON) has no venv or pip: install them (Debian: apt install python3-venv)"; exit 1; }
	@command -v cc >/dev/null || { echo "tf1mem: no C compiler (cc): install one (Debian: apt install gcc libc6-dev)"; exit 1; }

$(READY): setup.cfg pyproject.toml | check-tools
	@echo "tf1mem: making the environment in $(VENV) (the newest stable TensorFlow, about 2 GB)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv || { echo "tf1mem: pip reached no package index"; exit 1; }
	@# Many tests import TensorFlow in a process of its own, some of which write no bytecode: 3 s with it, 12 s without.
	@$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --editable '.[cli,dev,tensorflow]' || { echo "tf1mem: the packages could not be installed"; exit 1; }
	@touch $@

demo: $(READY)  ## old TF1 scripts, unchanged, on the newest stable TensorFlow; the GPU memory that they would reserve
	@$(BIN)/python -c 'import importlib.metadata as m; print("An old TF1 script, as it is, on TensorFlow", m.version("tensorflow"))'
	@echo '$$ tf1mem run --report examples/tf1/train_iris.py'
	@$(BIN)/tf1mem run --report examples/tf1/train_iris.py
	@echo
	@echo 'The memory that such settings reserve, on a simulated GPU'
	@# The level hides TensorFlow's warning about how it compiles kernels, since this GPU runs none.
	@echo '$$ TF_CPP_MIN_LOG_LEVEL=2 tf1mem sim --gpu 8GiB --summary -- tf1mem run --report examples/tf1/growth_and_fraction.py'
	@TF_CPP_MIN_LOG_LEVEL=2 $(BIN)/tf1mem sim --gpu 8GiB --summary -- \
		$(BIN)/tf1mem run --report examples/tf1/growth_and_fraction.py

test: lint  ## environment, lint, types, tests
	@# mypy takes a minute of one processor.
	@$(MAKE) --no-print-directory --jobs 2 types unit

SOURCES  = tf1mem/gpusim/sources
C_FILES := $(sort $(wildcard $(SOURCES)/*.h $(SOURCES)/*/*.[ch] $(SOURCES)/*/*/*.[ch] tests/gpusim/*.c))
CXX_FILES = $(sort $(wildcard $(SOURCES)/values/*))
# A deprecated name of TensorFlow's is often the only one that every TensorFlow has.
WARNINGS = -Wall -Wextra -Werror
LINT_CXX = $(WARNINGS) -Wno-deprecated-declarations -std=c++17 -fsyntax-only

lint: $(READY) build/lint/c build/lint/c++
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/clang-format --dry-run --Werror $(C_FILES) $(filter %.cc,$(CXX_FILES))

build/lint/c: $(C_FILES)
	@$(CC) $(WARNINGS) -std=gnu11 -fsyntax-only -I $(SOURCES) -DSIM_VERSION=11 $(filter %.c,$^)
	@mkdir -p $(@D) && touch $@

# TensorFlow's headers make this check take some seconds, so it runs only after a source has changed.
build/lint/c++: $(CXX_FILES) | $(READY)
	@if ! command -v $(firstword $(CXX)) >/dev/null; then \
		echo "tf1mem: no C++ compiler ($(CXX)): $(SOURCES)/values is not checked (Debian: apt install g++)"; \
	else \
		$(CXX) $(LINT_CXX) -isystem $$(echo $(VENV)/lib/*/site-packages/tensorflow/include) $(SOURCES)/values/values.cc \
			&& mkdir -p $(@D) && touch $@; \
	fi

types: $(READY)
	@$(BIN)/mypy

unit: $(READY)
	@# Thousands of tests start tf1mem, many where no bytecode is written: a third of what the commands take.
	@$(BIN)/python -m compileall -q tf1mem
	@$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --durations 40 --durations-min 1

matrix: $(READY)  ## on TensorFlow 1.15.5, 2.0, 2.16 and the newest candidate, the tests that may differ there
	@$(BIN)/python -m tests.matrix

proof: lint types  ## everything on every TensorFlow, before a release; after an interruption it continues
	@$(BIN)/python -m tests.matrix --whole

conformance: $(READY)  ## compares every TensorFlow with 1.15.5, on simulated GPUs: a table, kept for the guide
	@rm -rf build/conformance
	@$(BIN)/python -m tests.matrix --compared --tests tests/conformance || true
	@$(BIN)/python -m tests.conformance.table

# Hides a notice of Material for MkDocs about its own future, which doesn't concern this build.
MKDOCS = NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs

data: $(READY)  ## records the data of real TensorFlows again, and makes the pages and pictures from it
	@$(BIN)/python -m tests.recordings

guide: $(READY)  ## generates pages of the migration guide, and builds its site in build/guide
	@$(BIN)/python -m migration_guide.generating
	@$(MKDOCS) build --quiet --strict
	@echo "built: build/guide/index.html"

guide-serve: $(READY)  ## the guide in a browser at http://127.0.0.1:8000, as it is being written
	@$(MKDOCS) serve

bench: $(READY)  ## the costs of tf1mem, as ratios
	@$(BIN)/python benchmarks/bench.py
	@$(BIN)/python benchmarks/steps.py
	@$(BIN)/tf1mem sim --gpu 8GiB --values -- $(BIN)/python benchmarks/training_step.py
	@$(BIN)/python benchmarks/verify.py

gpu-check: $(READY)  ## compares a real GPU with a simulated one of its size; without a GPU it says so
	@$(BIN)/python benchmarks/gpu_check.py

$(PACKAGER)/.ready: | check-tools
	@$(PYTHON) -m venv $(PACKAGER)
	@$(PACKAGER)/bin/python -m pip install --quiet --disable-pip-version-check build twine uv || { echo "tf1mem: pip reached no package index"; exit 1; }
	@touch $@

dist: $(PACKAGER)/.ready  ## sdist and wheels: for every machine, and for Linux x86-64 with the simulator compiled
	@rm -rf dist
	@$(PACKAGER)/bin/python -m build --quiet --installer uv
	@$(PACKAGER)/bin/uv run --quiet --no-project --isolated --python $(PACKAGER)/bin/python --with '.[dist]' wheels.py dist
	@$(PACKAGER)/bin/python -m twine check dist/*

clean:
	@rm -rf $(VENV) .nox build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
