# One command each; every target installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: install test test-quick docs check bench hunt fuzz format clean system-packages studio studio-client screenshots kernels wheel blender test-blender blender-pictures
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

# Machine code of the kernels for any processor of this platform since about 2013.
kernels: install
	$(BIN)/python tools/build_kernels.py

# A wheel for this platform and Python with the page and the kernels inside, into dist.
# (`uv build` makes the source archive and a wheel without kernels, which compiles at first use.)
wheel: install $(CLIENT)
	$(BIN)/python tools/build_wheel.py

# The extension for Blender 4.2 and later with everything inside, into dist (docs/blender.md).
blender: install $(CLIENT)
	$(BIN)/python tools/build_blender_extension.py

# The extension inside bpy, in environments of its own (a download of about 350 MB): with writhe of
# this checkout, and without it for the zip of `make blender`. Tests of the window run in Debian's
# Blender; they are skipped where it cannot be installed.
BLENDER ?= 4.5.15
BPY := .blender/$(BLENDER)
BLENDER_PACKAGES := blender xvfb xauth libxrender1 libxfixes3 libxi6 libxkbcommon0 libsm6 libgl1
test-blender: install
	-@tools/install_system_packages.sh $(BLENDER_PACKAGES)
	for own in $(BPY) $(BPY)-bare; do \
		test -x $$own/bin/python || $(BIN)/uv venv -q --python 3.11 $$own; \
		$(BIN)/uv pip install -q --python $$own/bin/python bpy==$(BLENDER) 'numpy<2' || exit 1; done
	$(BIN)/uv pip install -q --python $(BPY)/bin/python -e .
	WRITHE_BLENDER_PYTHON=$(BPY)/bin/python WRITHE_BARE_BLENDER_PYTHON=$(BPY)-bare/bin/python \
		$(BIN)/python -m pytest -rs tests/blender

# Pictures of docs/blender.md from a window of Debian's Blender (after `make test-blender`).
blender-pictures: install
	tools/extension/in_window.sh tools/extension/walkthrough.py out/blender $(BPY)/bin/python
	$(BIN)/python -c "import json; print(json.load(open('out/blender/result.json')))"

# Pictures of the studio's main states, into out/screenshots.
screenshots: install system-packages $(CLIENT)
	$(BIN)/python tools/pictures/take_screenshots.py out/screenshots

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
	$(BIN)/python -m writhe.research.regression

# Random cases through every entry point, judged by the independent check: SECONDS of it, from SEED on.
# What is found is saved in out/hunt; the seeds of another run must not overlap.
SECONDS ?= 14400
SEED ?= 0
hunt: install
	$(BIN)/python -m writhe.research.fuzzing.random_cases --seconds $(SECONDS) --seed $(SEED)

# Any bytes through every reader, guided by coverage; what is found is saved in out/fuzz.
fuzz: install
	-$(BIN)/uv pip install -q --python $(BIN)/python -e '.[fuzz]'
	$(BIN)/python -m writhe.research.fuzzing.fuzz_readers --seconds $(SECONDS) --seed $(SEED)

clean:
	rm -rf $(VENV) build dist out
