# Two commands do all the set-up: `make run` and `make test`. The work is in packaging/, which can quote paths.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help run ask test check slow frozen clean

ENV := sh packaging/with_env.sh
# Seconds after which `make slow` skips, by name, what it has not begun; 0 means no limit.
BUDGET ?= 0
# A process for each core; one that is done takes tests from another.
PARALLEL := --numprocesses=auto --maxprocesses=4 --dist=worksteal

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*##  *\(.*\)/  make \1	\2/p' Makefile

run:  ## set up, fetch the starter model, open the window (without a screen: answer a question in the terminal)
	@$(ENV) auto local packaging/run.py

ask: export DEEPCHAT_Q = $(value Q)
ask:  ## answer Q="…" in the terminal
	@test -n "$$DEEPCHAT_Q" || { echo 'make ask Q="your question"' >&2; exit 2; }
	@$(ENV) none local -m deepchat_desktop models pull --if-missing
	@$(ENV) none local -m deepchat_desktop ask -- "$$DEEPCHAT_Q"

test: export QT_QPA_PLATFORM = offscreen
test:  ## the tests, at most five minutes, without network once installed
	@$(ENV) offscreen local,dev -m pytest -q $(PARALLEL)

check: export QT_QPA_PLATFORM = offscreen
check:  ## lint, types, layers, then the tests
	@$(ENV) offscreen local,dev -m ruff check .
	@$(ENV) offscreen local,dev -m mypy
	@$(ENV) offscreen local,dev -c "from importlinter.cli import lint_imports_command as run; run()"
	@$(MAKE) --no-print-directory test

slow: export QT_QPA_PLATFORM = offscreen
slow:  ## the long tests: kills, fuzzing, a clean environment, the frozen build
	@$(ENV) offscreen local,dev -m pytest -q -m slow --timeout=1500 --time-budget=$(BUDGET) $(PARALLEL)

frozen:  ## build the frozen app into dist/ and let it test itself
	@$(ENV) offscreen local,dev packaging/build_frozen.py

clean:  ## remove what was built (the environment, caches, dist)
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
