# One command for each thing a person wants. Each makes .venv first if it is not there.
# TORCH_INDEX=URL: a package index to take PyTorch from (see README.md). For `make record`: DEVICE=cuda, and TORCH=2.15.0
# for a version of PyTorch that gets an environment of its own below .cache, which is removed after it unless KEEP=1.
# With DEVICE=cuda, SIMULATED=1 records what simulated GPUs print, for which TORCH names a CUDA build.
# TIMES=30: for `make flaky`. MINUTES=10, SEED=7, ONLY=figures and CASE=12: for `make attack`. BUILDER=zensical: for `make canary`.
# ARCHIVE=recordings.tar.gz: for `make gpu-import`.
# SAMEDEVICE_REPOSITORY=owner/name: for `make cards`.

PYTHON ?= python3
VENV ?= .venv
TORCH_INDEX ?=
export TORCH_INDEX
TIMES ?= 30
MINUTES ?= 10
SEED ?=
AGAINST ?=
BUILDER ?= zensical
BIN := $(VENV)/bin
PYTEST = $(BIN)/python -m pytest -n logical --durations=10
# In CI tests that failed run once more, alone. pytest-rerunfailures would do it, and keep each test waiting for 50 ms.
TEST = $(PYTEST) $1 $(if $(CI),|| { [ $$? = 1 ] && $(PYTEST) $1 --last-failed; })
# What serves the site: a small installation, unless the whole one is there.
SERVING := $(if $(wildcard $(VENV)/ready),$(VENV)/ready,$(VENV)/site)

# Containers often set it, and then each of hundreds of processes would compile the engine and its tests anew.
unexport PYTHONDONTWRITEBYTECODE

# Material announces its end of life at each build; once is enough.
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

serve: $(SERVING) ## show the site on localhost from the recordings, check it, and rebuild it whenever a page is saved
	$(BIN)/mkdocs serve

build: $(VENV)/ready ## write the site to site/, and fail on anything that is wrong
	$(BIN)/mkdocs build --strict

cards: $(VENV)/ready ## build the site as pages.yml does, with a card of each page for shared links (needs libcairo2)
	$(BIN)/python -m pip install --disable-pip-version-check -q -c constraints.txt "mkdocs-material[imaging]"
	mkdir -p .cache/plugin/social/fonts  # where the plugin looks for a font before it asks Google for it
	ln -sfn "$$($(BIN)/python -c 'import matplotlib; print(matplotlib.get_data_path())')/fonts/ttf" .cache/plugin/social/fonts/DejaVu
	SAMEDEVICE_CARDS=true $(BIN)/mkdocs build --strict

test: $(VENV)/ready ## run every block on every device of this machine, and the tests of the engine (5 minutes on two cores)
	$(call TEST)

record: $(if $(TORCH),,$(VENV)/ready) ## run every block and write what it printed to tests/recordings (TORCH=2.15.0: with that)
	$(if $(TORCH),PYTHON=$(PYTHON) SIMULATED=$(SIMULATED) .ci/record record $(TORCH) $(DEVICE),$(BIN)/python -m pytest docs snippets --record $(if $(DEVICE),--device $(DEVICE)) $(if $(SIMULATED),--simulated))

gpu-kit: $(VENV)/ready ## write build/gpu-kit: run its record.sh on a machine with a GPU, or on a Mac
	$(BIN)/python tools/gpu/kit.py

gpu-import: $(VENV)/ready ## put what record.sh recorded in place, and report it: ARCHIVE=recordings.tar.gz
	$(BIN)/python tools/gpu/import_recordings.py $(ARCHIVE)

check: $(VENV)/ready ## lint, test and rest: what CI runs (15 minutes on two cores)
	$(MAKE) test  # first: the build then takes the outputs from the cache
	$(MAKE) -j 2 lint rest

lint: $(VENV)/ready ## lint code, workflows and shell scripts, and check types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --config-file tests/mypy.ini
	$(BIN)/lint-imports
	.ci/lint $(BIN)

rest: $(VENV)/ready ## strict build, and the slow tests: browser, faults, other builders, simulated GPU, search
	$(call TEST,tests -m slow)

bench: $(VENV)/ready ## print what building and testing cost, as ratios within one run
	$(BIN)/python tools/bench/bench.py

status: $(VENV)/ready ## print how many outputs each environment has recorded (AGAINST=main: and which of a GPU's a change makes stale)
	$(BIN)/python tools/recordings/status.py $(AGAINST)

mutants: $(VENV)/ready ## change every recorded block a little: is every change told? (5 to 10 minutes)
	$(BIN)/python tools/trust/mutants.py

flaky: $(VENV)/ready ## run every block TIMES times under load, in changing order: does any fail? (three minutes each on two cores)
	$(BIN)/python tools/trust/flaky.py --times $(TIMES)

faults: $(VENV)/ready ## full disks, kills, links, floods and what pages leave running: all of it (10 minutes)
	SAMEDEVICE_FAULTS=1 $(BIN)/python -m pytest tests/faults tests/test_injection.py tests/pages/test_fences.py tests/weaving/test_completeness.py

attack: $(VENV)/ready ## attack with made-up outputs, recordings, figures, archives, pages and blocks (MINUTES=10; SEED=7: the same again)
	SAMEDEVICE_MINUTES=$(MINUTES) SAMEDEVICE_SEED=$(SEED) SAMEDEVICE_CASE=$(CASE) \
	$(BIN)/python -m pytest tests/trust/test_attack.py -k "finds_nothing and [$(ONLY)"

canary: $(VENV)/ready ## build the site with Zensical, which follows Material for MkDocs, and test it in a browser (BUILDER=properdocs: with that)
	$(BIN)/python -m pip install --disable-pip-version-check -q -c constraints.txt $(BUILDER)
	export SAMEDEVICE_BUILDER=$(BUILDER); $(call TEST,tests/browser tests/integration/test_zensical.py)

release: ## check what must hold before a release, build both packages, and test them where nothing else is
	$(PYTHON) .ci/release.py samedevice
	$(PYTHON) .ci/release.py simulated_gpu
	rm -rf dist
	PYTHON=$(PYTHON) .ci/wheel build samedevice dist
	PYTHON=$(PYTHON) .ci/wheel build simulated_gpu dist
	PYTHON=$(PYTHON) TORCH=$(TORCH) .ci/wheel test dist

claims: $(VENV)/ready ## list sentences that say much, and have neither a claim in tests/claims nor a source
	$(BIN)/python tools/claims/unclaimed.py

claims-record: $(VENV)/ready ## run the claims, and write to tests/claims/passed.json which of them passed with this PyTorch
	$(PYTEST) tests/claims --claims-record

simulated: ## test the simulated GPU with a CUDA build of PyTorch, without NVIDIA's packages (TORCH=2.15.0: with that)
	PYTHON=$(PYTHON) .ci/simulated $(TORCH)

pictures: $(VENV)/ready ## take the README's pictures anew, of the site in site/ and of another project (needs chromium)
	$(BIN)/python tools/browser/pictures.py

lighthouse: $(VENV)/ready ## print Lighthouse's scores of five pages (needs npm and chromium)
	$(BIN)/python tools/browser/lighthouse.py

clean: ## remove what the other commands made, .venv included
	rm -rf $(VENV) .cache dist site .pytest_cache .mypy_cache .ruff_cache

$(VENV)/site: pyproject.toml constraints.txt
	PYTHON=$(PYTHON) .ci/install $(VENV) site
	@touch $@

$(VENV)/ready: pyproject.toml constraints.txt
	PYTHON=$(PYTHON) .ci/install $(VENV) dev
	@touch $@

.PHONY: help serve build cards test record gpu-kit gpu-import check lint rest bench status mutants flaky faults attack canary release simulated lighthouse clean claims pictures claims-record
