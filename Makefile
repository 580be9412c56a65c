# One command each; every target installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: install test test-quick docs check bench format clean system-packages studio studio-client screenshots
install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check uv
	$(BIN)/uv pip install -q --python $(BIN)/python -e '.[dev]'
	touch $@

# Off-screen pictures need Mesa's libraries; on Debian they are installed when missing.
system-packages:
	@tools/install_system_packages.sh

# The page of the studio, built when its sources changed (Debian's npm is installed when missing).
CLIENT := src/writhe/studio/static/index.html
CLIENT_SOURCES := $(shell find web -path web/node_modules -prune -o -type f -print)
studio-client: $(CLIENT)
$(CLIENT): $(CLIENT_SOURCES) web/node_modules/.installed
	cd web && npm run build
	touch $@

web/node_modules/.installed: web/package-lock.json
	@tools/install_system_packages.sh npm
	cd web && npm ci --no-audit --no-fund
	touch $@

studio: install $(CLIENT)
	$(BIN)/writhe studio

# Pictures of the studio's main states, into out/screenshots.
screenshots: install system-packages $(CLIENT)
	$(BIN)/python tools/take_screenshots.py out/screenshots

test: install system-packages $(CLIENT)
	@tools/install_gltf_validator.sh
	cd web && npm test
	$(BIN)/writhe warmup
	$(BIN)/python -m pytest -n 2 --dist worksteal

# The core of the library, for daily work: no browser, no server, no planning, no research.
QUICK := skeleton topology terms kernels collision scene database io
test-quick: install
	$(BIN)/python -m pytest -n 2 --dist worksteal $(addprefix tests/,$(QUICK)) \
		--ignore=tests/io/test_fuzz.py --ignore=tests/io/test_mocap_files.py

# The site with search and API reference, into out/site.
docs: install
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

check: install web/node_modules/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/pyright
	cd web && npm run check

format: install
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Side by side with the peers (each in an environment of its own), and the kernels' speed.
# CLIPS names a folder of recorded motions for the reconstructions.
bench: install system-packages
	-$(BIN)/python -m writhe.research.peers.environments
	$(BIN)/writhe bench peers $(if $(CLIPS),--clips $(CLIPS))
	$(BIN)/python -m writhe.research.benchmarks.regression

clean:
	rm -rf $(VENV) build dist out
