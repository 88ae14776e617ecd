# Two commands do all the set-up: `make demo` and `make test`. `make help` names the others.
#
#   PYTHON=/path/to/python3.13   the Python to use   (default: the first of 3.13, 3.14, 3.12 that is found)
#   VENV=folder                  where to install    (default: .venv)
#   DEMO=digits|text             which model the demo trains
#   ARGS="..."                   more arguments for pytest

VENV ?= .venv
DEMO ?= digits
PYTHON ?=
ARGS ?=

export DEMO
bin := $(VENV)/bin
python := $(bin)/python

.PHONY: demo test cases sweep lint bench help clean
.DEFAULT_GOAL := help

demo: $(VENV)/.installed-demo  ## train, crash three times, go on; then compare with a run that never crashed
	@$(python) bench_cases/demo/main.py

test: $(VENV)/.installed-test  ## the whole test suite
	@$(bin)/pytest $(ARGS)

cases: $(VENV)/.installed-test  ## crashes of real programs: each plain, clean and mended (ARGS="scenario/case ...")
	@$(python) bench_cases/cases.py $(ARGS)

sweep:  ## the tables of "How we know" in README.md, on every Python that is found (hours; minutes with ARGS=--short)
	@.ci/sweep $(ARGS)

lint: $(VENV)/.installed-dev  ## ruff and mypy --strict
	@$(bin)/ruff check .
	@$(bin)/mypy --strict daifu_bc

bench: $(VENV)/.installed-demo  ## measure the figures in README.md
	@$(python) perf/report.py

help:  ## this list
	@awk -F ':|## ' '/^[a-z]+:.*## / { printf "make %-6s %s\n", $$1, $$NF }' $(MAKEFILE_LIST)

clean:  ## remove what was installed and built
	rm -rf $(VENV) .tox .ci/work build dist

$(VENV)/.made:
	@python='$(PYTHON)'; [ -n "$$python" ] || python=$$(.ci/find-python 3.13 3.14 3.12) || { \
	    echo "No Python 3.12, 3.13 or 3.14 was found on PATH, in ~/.pyenv/versions or in uv's folder: install" \
	        "one (say with 'uv python install 3.13', 'pyenv install 3.13' or your system's packages python3.13" \
	        "and python3.13-venv), or name one: make $(firstword $(MAKECMDGOALS)) PYTHON=/path/to/python3.13" >&2; \
	    exit 1; }; \
	echo "Making $(VENV) with $$python"; "$$python" -m venv --clear $(VENV)
	@touch $@

$(VENV)/.installed-demo: $(VENV)/.made pyproject.toml
	@echo "Installing daifu_bc with what the demo and the tests need (torch: some minutes the first time) ..."
	@$(python) -m pip install --quiet --disable-pip-version-check --editable '.[demo,test]'
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed-demo
	@echo "Installing the libraries whose programs the tests run (about a minute) ..."
	@$(python) -m pip install --quiet --disable-pip-version-check --editable '.[demo,test,libraries]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.made pyproject.toml
	@echo "Installing daifu_bc with its tools ..."
	@$(python) -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@
