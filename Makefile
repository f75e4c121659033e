# The menu. Everything here needs Go, a C compiler and make; `demo` and `test`
# also pip or npm, once, to get an ONNX Runtime. Tests of launchers start an sshd and a
# Slurm as the user (Debian: openssh-server, slurm-wlm and munge); without them they are
# skipped.

PYTHON   ?= python3
FUZZTIME ?= 30s
# Packages that start goroutines, and what calls them across goroutines, are tested under the
# race detector; the others are not. `make lint` fails if a package is missing here. The scripts of
# the root run the program as a person does; the tests of session/command and session/steps run the
# same commands under the race detector.
RACED    := ./tui ./tui/fuzzy ./tui/launch ./tui/home ./tui/frames ./graphops/aside ./graphops/check ./graphops/filter ./graphops/half ./graphops/quant ./graphops/simplify ./graphops/summary ./graphops/tensor ./graphops/tensor/blockwise ./graphops/weights \
	./session ./session/runtime ./session/trial ./session/sides ./session/reporting ./session/timing ./session/quantization ./session/steps ./session/steps/cut ./session/steps/shrink ./session/steps/measure ./session/steps/torch ./session/command ./session/inputs ./session/python ./session/torch ./session/journal \
	./session/ort ./session/ort/wire ./session/ort/worker ./session/ort/crashtest \
	./session/proof ./session/layers ./session/reduce ./session/calibrate ./session/overflow ./.ci/phrases
CACHE    := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/lathe
PARITY   := $(CACHE)/parity
TORCH    := $(CACHE)/torch
COMPARE  := $(CACHE)/compare

.DEFAULT_GOAL := help
.PHONY: help build sbom shipped reproducible runtime demo test quick raced lint format golden fuzz bench compare parity soak testdata remake torch screenshots generate device gpu runtimes

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

# The same source gives the same bytes in any folder: no path and no state of git is in the program.
BUILD    := CGO_ENABLED=1 go build -trimpath -buildvcs=false

build: ## bin/lathe
	$(BUILD) -o bin/lathe .

sbom: build ## bin/lathe.cdx.json, the modules of the program
	@go run ./.ci/sbom bin/lathe >bin/lathe.cdx.json

shipped: sbom ## paths in the program, and known vulnerabilities of its modules
	@.ci/shipped bin/lathe

reproducible: ## builds the program in two folders, once from an empty cache, and compares the bytes
	@.ci/reproducible $(BUILD)

runtime: build ## an ONNX Runtime in the cache, unless a usable one is found
	@bin/lathe runtime list --json | grep -Eq '"usable": *true' || bin/lathe runtime install

demo: runtime ## the workbench on a small model; without a terminal, the same job as a recipe
	@if [ -t 0 ] && [ -t 1 ]; then bin/lathe testdata/digits.onnx; \
	else bin/lathe run testdata/demo.yaml --force; fi

test: runtime ## every test, and which ten are the slowest
	@.ci/test $(RACED)

quick: runtime ## lint and short tests of the packages that changed since BASE (HEAD)
	@.ci/quick $(or $(BASE),HEAD)

raced: # the packages that are tested under the race detector
	@go list $(RACED)

lint: ## formatters, vet and linters, in the versions of .ci/tools/go.mod
	@.ci/lint

format: ## format every Go file
	@go tool -modfile=.ci/tools/go.mod golangci-lint fmt

golden: ## what the workbench draws becomes what its tests expect; look at the diff
	go test ./tui ./tui/home -update

fuzz: ## every fuzz target for FUZZTIME (30s)
	@targets=$$(go test -list '^Fuzz' ./...) || { echo "$$targets"; exit 1; }; \
	echo "$$targets" | awk '/^Fuzz/ { names = names " " $$1 } \
		/^ok/ { split(names, n); for (i = 1; i in n; i++) print $$2, n[i]; names = "" }' | \
	while read -r package target; do \
		echo "fuzz: $$package $$target"; \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" || exit 1; \
	done

bench: runtime ## the benchmarks of the code itself
	go test -run '^$$' -bench . -benchmem ./...

compare: build $(COMPARE)/requirements.txt ## Lathe beside the tools of others, into docs/performance.md; needs 8 GB of disk and a quiet machine
	@go run ./.ci/compare -python $(COMPARE)/bin/python -cache $(COMPARE)/models $(ARGS)

parity: runtime $(PARITY)/requirements.txt ## against the references in Python, in a virtual environment of their own
	LATHE_PARITY_PYTHON=$(PARITY)/bin/python LATHE_PARITY_TORCH=$(wildcard $(TORCH)/bin/python) go test -tags parity -timeout 60m ./...

# A virtual environment with what .ci/NAME.txt lists.
$(CACHE)/%/requirements.txt: .ci/%.txt
	@echo "making $(CACHE)/$*"
	@$(PYTHON) -m venv --clear $(CACHE)/$*
	@$(CACHE)/$*/bin/pip install --quiet --disable-pip-version-check --requirement $<
	@cp $< $@

runtimes: build ## what touches ONNX Runtime, with the oldest supported version, the default and the newest
	@.ci/runtimes

soak: runtime ## tests that take minutes
	go test -tags soak -timeout 60m ./...

device: runtime ## WebGPU on a device in software, and other libraries of providers, against the CPU
	@PYTHON=$(PYTHON) .ci/device $(CACHE)/device

gpu: ## the same on a GPU, and CUDA; libraries are those that `lathe runtime list` lists
	go test -count 1 -tags "gpu device" -run '^TestGPU|^TestDevice' ./session/command

testdata: ## the files of testdata/ anew; PyTorch among the packages, up to 6 GB to download
	testdata/make/make.sh

remake: ## the same into bin/testdata: do PyTorch and the scripts still make what the tests need?
	@mkdir -p bin/testdata
	testdata/make/make.sh -o bin/testdata

torch: runtime ## exports from PyTorch, in a virtual environment of their own; 2 GB to download
	@if $(MAKE) --no-print-directory $(TORCH)/requirements.txt; then \
		export LATHE_TORCH_PYTHON=$(TORCH)/bin/python; \
		go test -count 1 -timeout 60m ./session/torch/... && \
		go test -count 1 -timeout 60m -run 'Torch|Task|FirstDivergent|TestExamples|Export' ./session/command ./session/steps/... && \
		go test -tags torch -count 1 -timeout 240m -v -run 'TestTorch(Corpus|Faults|Filled|Architectures|Generation)$$' ./session/steps/torch; \
	else echo "skipped: what .ci/torch.txt names cannot be installed here"; fi

screenshots: build ## the pictures of README.md and docs, from the real program
	@go test -list '^TestScreenshots$$' ./tui | grep -q '^Test' || { echo './tui: no TestScreenshots to draw them'; exit 1; }
	go test -count 1 -run '^(TestScreenshots|TestTourPicture)$$' ./tui -update

generate: $(PARITY)/requirements.txt ## generated Go sources, and the table of operators from the packages of `make parity`
	LATHE_PARITY_PYTHON=$(PARITY)/bin/python go generate ./...
