# One command each; every target installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: install test check bench format clean system-packages
install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check uv
	$(BIN)/uv pip install -q --python $(BIN)/python -e '.[dev]'
	touch $@

# Off-screen pictures need Mesa's libraries; on Debian they are installed when missing.
system-packages:
	@tools/install-system-packages

test: install system-packages
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: install
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/pyright

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: install
	$(BIN)/writhe bench kernels

clean:
	rm -rf $(VENV) build dist out
