# Everything a person runs by hand. `make` alone lists the targets; each does the set-up it needs.

PYTHON ?= python3
VENV := $(CURDIR)/.venv
# The numpy-only wheel is tried in an environment of its own, without torch.
PLAIN := $(CURDIR)/.venv-plain
TORCH := torch==2.13.0
TOOLS := maturin>=1.9,<2 numpy gymnasium>=1.4,<2 pytest ruff mypy tensorboard py-draughts==1.10.1
# torch-sys finds libtorch through the environment's Python.
WITH_TORCH := VIRTUAL_ENV=$(VENV) PATH="$(VENV)/bin:$$PATH" LIBTORCH_USE_PYTORCH=1
CONFIG ?= configs/quick.toml
TARGET ?= pdn
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help train test verify fuzz install-train docs bench ladder lint test-rust test-torch test-python test-wheel clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 16

train: $(VENV)/.torch ## set up, build, and train on this machine: CONFIG=configs/quick.toml, ARGS="--set run.minutes=5"
	$(WITH_TORCH) cargo run --release --features torch -- train $(CONFIG) $(ARGS)

test: lint test-rust test-torch test-wheel test-python ## every test, in reduced counts
	@echo "make test: all passed"

verify: test-python ## the long checks in full, with their figures
	SHASHKI_FULL=1 cargo test --release --no-fail-fast -- --nocapture
	$(WITH_TORCH) SHASHKI_FULL=1 cargo test --release --features torch --test net --test learner --test train_smoke -- --nocapture
	cargo run --release -- perft --variant russian --depth 11
	cargo run --release -- arena alphabeta:eval=basic,depth=1 random --games 400
	cargo run --release -- arena alphabeta:eval=basic,depth=4 alphabeta:eval=basic,depth=2 --games 400
	$(VENV)/bin/python examples/python/match_pydraughts.py --games 200
	cargo check --manifest-path tests/fuzz/Cargo.toml

fuzz: ## hostile input for what reads files and texts, till one breaks it: TARGET=pdn or game, ARGS="-max_total_time=60"
	@cargo fuzz --version > /dev/null 2>&1 || { echo "this needs cargo-fuzz: cargo install cargo-fuzz"; exit 1; }
	cargo fuzz run --fuzz-dir tests/fuzz --sanitizer none $(TARGET) -- $(ARGS)

install-train: $(VENV)/.torch ## put the training build into the current Python environment
	$(WITH_TORCH) $(VENV)/bin/maturin build --release --features torch,python --interpreter $(VENV)/bin/python --auditwheel skip --out target/wheels-torch
	$(PYTHON) -m pip install $(TORCH) numpy && $(PYTHON) -m pip install --force-reinstall --no-deps target/wheels-torch/*.whl

docs: ## the API documentation, into target/doc
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps

bench: $(VENV)/.tools ## the figures of docs/performance.md: fixed workloads, then what peers there are beside ours: ARGS="perft --rounds 9" PEERS="--only mlp"
	VIRTUAL_ENV=$(VENV) PATH="$(VENV)/bin:$$PATH" maturin build --release --out target/wheels-bench
	$(VENV)/bin/pip install -q --force-reinstall --no-deps target/wheels-bench/*.whl
	$(WITH_TORCH) cargo build --release --features torch
	$(WITH_TORCH) cargo run --release --features torch -- bench $(ARGS)
	$(VENV)/bin/python benches/peers.py --shashki $(VENV)/bin/shashki $(PEERS)

# Neighbours play each other, so the order is that of strength. Finished pairs are kept: stop it and start it again as you like.
PY_DRAUGHTS := hub:time=0.1,cmd=.venv/bin/python examples/py_draughts_engine.py
RUNGS := random rollout:visits=5 rollout:visits=20 rollout:visits=100 alphabeta:depth=1 "$(PY_DRAUGHTS)" \
	$(foreach depth,2 3 4 5 6 7 8 9 10,alphabeta:depth=$(depth)) $(foreach time,0.01 0.03 0.1,alphabeta:time=$(time))

ladder: $(VENV)/bin/python ## the table of docs/ladder.md, an hour or two: ARGS="--seed 2" for other openings
	$(VENV)/bin/pip install -q py-draughts==1.10.1
	cargo run --release -- ladder $(RUNGS) --neighbours --games 200 --games-for 60:alphabeta:time=0.1 --games-for "60:$(PY_DRAUGHTS)" \
	  --keep target/ladder.jsonl --pdn target/ladder.pdn --into docs/ladder.md $(ARGS)

lint: $(VENV)/.tools docs
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	VIRTUAL_ENV=$(VENV) PATH="$(VENV)/bin:$$PATH" cargo clippy --features python -- -D warnings
	$(WITH_TORCH) cargo clippy --release --features torch --all-targets -- -D warnings
	$(VENV)/bin/ruff check python tests/python examples benches
	$(VENV)/bin/ruff format --check python tests/python examples benches

test-rust:
	cargo test

test-torch: $(VENV)/.tools
	$(WITH_TORCH) cargo test --release --features torch --lib --test net --test learner --test train_smoke --test env_allocations

# The wheel with numpy as its only dependency, in an environment that has nothing else.
test-wheel: $(VENV)/.tools
	rm -rf target/wheels $(PLAIN)
	VIRTUAL_ENV=$(VENV) PATH="$(VENV)/bin:$$PATH" maturin build --release --out target/wheels
	$(PYTHON) -m venv $(PLAIN) && $(PLAIN)/bin/pip install -q target/wheels/*.whl
	cd $(PLAIN) && bin/python -c "import shashki, sys; assert 'torch' not in sys.modules; print(shashki.Game('russian').turns())"
	$(PLAIN)/bin/shashki perft --variant russian --depth 5

test-python: test-wheel
	$(VENV)/bin/pip install -q --force-reinstall --no-deps target/wheels/*.whl
	$(VENV)/bin/python -m pytest -q tests/python
	$(VENV)/bin/mypy --strict python
	$(VENV)/bin/mypy --strict benches/peers.py benches/train_load.py
	$(VENV)/bin/python -m mypy.stubtest shashki._core

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "shashki needs Python 3.10 or newer; name one by PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.torch: $(VENV)/bin/python
	@echo "installing $(TORCH): some gigabytes, once"
	$(VENV)/bin/pip install "maturin>=1.9,<2" numpy $(TORCH)
	touch $@

$(VENV)/.tools: $(VENV)/.torch Makefile
	$(VENV)/bin/pip install -q $(foreach tool,$(TOOLS),"$(tool)")
	touch $@

clean: ## remove what was built, but neither runs nor environments
	cargo clean
