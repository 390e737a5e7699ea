# Each target does all the set-up it needs: `make match` and `make test` work on a fresh checkout.
.PHONY: match rehearse test lint types bench setup setup-test setup-bench clean help

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

match: setup ## play a simulated match and show it on a web page (ARGS="--league mirosot_5v5")
	@exec $(BIN)/robohockey match $(ARGS)

rehearse: setup ## play a whole match without robots, through serial bytes and camera images (ARGS="--duration 60")
	@exec $(BIN)/robohockey rehearse $(ARGS)

test: setup-test lint types ## every check: lint, types, unit, node and system tests
	$(BIN)/python -m pytest $(ARGS)

lint: setup-test ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup-test ## types, strict in the pure rooms
	$(BIN)/mypy

bench: setup-bench ## measurements against peers (ARGS="--quick" for a look)
	$(BIN)/python -m bench.unwarp
	$(BIN)/python -m bench.unwarp_node
	$(BIN)/python -m bench.vision $(ARGS)
	$(BIN)/python -m bench.closed_loop $(ARGS)
	$(BIN)/python -m bench.cameras $(ARGS)
	$(BIN)/python -m bench.batch
	$(BIN)/python -m bench.views
	$(BIN)/python -m bench.match $(ARGS)
	$(BIN)/python -m bench.fields
	$(BIN)/python -m bench.heading
	$(BIN)/python -m bench.drills $(ARGS)
	$(BIN)/python -m bench.matches $(ARGS)
	$(BIN)/python -m bench.referee $(ARGS)
	$(BIN)/python -m bench.physics $(ARGS)
	$(BIN)/python -m bench.hardware $(ARGS)

setup:
	@PYTHON="$(PYTHON)" sh tools/setup.sh $(VENV)

setup-test:
	@PYTHON="$(PYTHON)" sh tools/setup.sh $(VENV) test

setup-bench:
	@PYTHON="$(PYTHON)" sh tools/setup.sh $(VENV) bench

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) build install log .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
