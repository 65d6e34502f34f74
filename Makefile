# Everything needs Go only; `make lint` fetches staticcheck once.
DATA ?= $(CONTEXTMOVER_DATA)

.DEFAULT_GOAL := help
.PHONY: help build repro sample open reference ci test lint test-race test-noasm test-arm64-bits vet-platforms fuzz test-jupyter test-explore test-cuda-build test-scale cuda cuda-check bench-peers jupyter article wheel release-check clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/repro
	go build -o bin/repro ./experiments/repro

repro: build ## regenerate tables and figures on the built-in mini world; no download
	bin/repro run all --profile mini
	bin/repro notebooks

# ACCEPT=yes agrees to the licences that ask for it.
FETCH = $(if $(DATA),--data "$(DATA)") $(if $(MIRROR),--mirror "$(MIRROR)") $(if $(filter yes,$(ACCEPT)),--accept-licences)

sample: build ## fetch a part of the real data (60 MB), and regenerate tables and figures on it
	bin/repro data fetch --profile sample $(FETCH)
	bin/repro run paper --profile sample $(if $(DATA),--data "$(DATA)")

open: build ## fetch all real data (1.6 GB), and regenerate tables and figures on it; DATA=DIR where it is not in the user's data folder
	bin/repro data fetch --profile open $(FETCH)
	bin/repro run paper --profile open $(if $(DATA),--data "$(DATA)")

reference: open ## after that, what goes beyond the paper, timings and the verdict: the recorded run, made anew in many hours
	bin/repro run all --profile open $(if $(DATA),--data "$(DATA)")
	bin/repro run all --profile systems $(if $(DATA),--data "$(DATA)")
	bin/repro timings --profile open $(if $(DATA),--data "$(DATA)")
	bin/repro verify --profile open --update
	bin/repro verify --profile systems --update

# Modules are downloaded first, patiently.
ci: ## all checks, one after the other
	@for pause in 5 15 30 60 0; do \
		if go list -deps -test ./... >/dev/null && go -C tools list -deps tool >/dev/null && go -C tools/vale list -deps tool >/dev/null && go -C scale list -deps -test ./... >/dev/null; then exit 0; fi; \
		sleep $$pause; \
	done; exit 1
	$(MAKE) test lint test-race test-noasm test-arm64-bits vet-platforms fuzz test-jupyter test-explore test-cuda-build test-scale

# With CONTEXTMOVER_CI set, a test that is left out is a failure unless tools/skips/may-skip.txt has it. What takes longest
# is named first, so that it does not run alone at the end.
test: ## vet and test all packages
	go vet ./...
	go test -timeout 60m $(if $(CONTEXTMOVER_CI),-json) ./experiments/repro ./... $(if $(CONTEXTMOVER_CI),2>&1 | go -C tools run ./skips)
	go -C tools test -count=1 ./fused ./licences ./skips

# The detector makes code ten times slower: one thread's work is left to make test.
RACE = ./cmdlib/cluster ./cmdlib/corpus/... ./cmdlib/embedding/... ./cmdlib/internal/... ./cmdlib/sentence ./cmdlib/sppmi ./experiments/harness/trainers/... \
	./experiments/harness/dataset ./experiments/display ./experiments/explore ./experiments/harness/store ./internal/atomicfile ./internal/parallel

test-race: ## test what runs in parallel with the race detector
	go test -short -race -timeout 60m $(RACE)
	go test -short -race -timeout 60m -run 'Concurrent|Parallel|Cancelled|Same|Conformance' ./cmdlib ./cmdlib/ot/cpu ./experiments/notebook

lint: ## formatting, vet, staticcheck, actionlint, prose
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run gofmt -w on:"; echo "$$unformatted"; exit 1; } >&2
	go vet ./...
	$$(go -C tools tool -n staticcheck) ./...
	$$(go -C tools tool -n actionlint) .github/workflows/*.yml
	article/numbers.sh article/article.tex
	tools/vale/check.sh

bench-peers: ## measure POT, OTT-JAX and gensim beside this library; installs them into bin/
	bench/peers.sh

# What has assembly, and what is made with it; the others would be tested twice.
test-noasm: ## test without assembly what has some, and what uses that
	go test -short -timeout 60m -tags noasm $$(assembled=$$(go list -f '{{if .SFiles}}{{.ImportPath}}{{end}}' ./cmdlib/... | sed 's/$$/ /') && \
		go list -test -f '{{.ImportPath}} {{join .Deps " "}} ' ./cmdlib/... | grep '^[^ ]*\.test ' | grep -F "$$assembled" | sed 's/\.test .*//')

# The tests of what has assembly for arm64, and those that hold bits against golden files.
test-arm64-bits: ## test that arm64 gives the bits of amd64, under qemu, in a few minutes
	@if command -v qemu-aarch64-static >/dev/null; then \
		GOARCH=arm64 CGO_ENABLED=0 go test -short -vet=off -timeout 120m -exec qemu-aarch64-static -run 'Bits|Vectors|InstructionSets|Kernel|StripSum|Gram|Log2|Exp2|Gibbs|Agree' \
			./internal/elementary ./cmdlib/english $$(GOARCH=arm64 go list -f '{{if .SFiles}}{{.ImportPath}}{{end}}' ./cmdlib/...); \
	else \
		echo "test-arm64-bits: LEFT OUT, nothing was tested: it needs qemu (Debian: apt install qemu-user-static)" >&2; \
	fi

# Killed job arrays are tested by make test.
test-scale: ## test repro-scale: 2 minutes of compiling Beam, once, then one of tests
	go -C scale vet ./...
	cd scale && $$(go -C ../tools tool -n staticcheck) ./...
	go -C scale test -timeout 20m ./...

# From sources alone: compiling all for four platforms takes ten times as long, and would find besides only what
# generating code and linking refuse.
vet-platforms: ## vet for the platforms that are not this one, and that results are the same there
	go -C tools build -o ../bin/vet ./vet
	@for platform in linux/arm64 linux/386 windows/amd64 darwin/arm64; do \
		echo "$$platform"; \
		CGO_ENABLED=0 GOOS=$${platform%/*} GOARCH=$${platform#*/} bin/vet ./... || exit 1; \
	done
	go -C tools build -o ../bin/fused ./fused
	bin/fused ./cmdlib/... ./experiments/... ./internal/...

FUZZTIME ?= 6s

# Two at a time, each on one processor, take half the time on two.
fuzz: ## fuzz every parser, six seconds each, or FUZZTIME
	@grep -r --include='*_test.go' '^func Fuzz' . | sed -E 's|/[^/]*:func (Fuzz[A-Za-z]*).*| \1|' | sort -u | \
		xargs -P 2 -L 1 sh -c 'tools/fuzz/one.sh "$$0" "$$1" $(FUZZTIME)'

cuda: ## build bin/repro-cuda, with the GPU engine, and what cuda-check needs
	. cuda/dev/env.sh && go build -tags cuda -o bin/repro-cuda ./experiments/repro
	. cuda/dev/env.sh && go test -c -tags cuda -ldflags '-s -w' -o bin/cuda.test ./cuda
	. cuda/dev/env.sh && go build -tags cuda -ldflags '-s -w' -o bin/replay ./cuda/dev/replay

test-cuda-build: ## check the GPU engine as far as no GPU is needed
	cuda/dev/test-build.sh

cuda-check: ## check and time the GPU engine on this machine's GPU
	@test -x bin/cuda.test || $(MAKE) cuda
	cuda/dev/check.sh

jupyter: ## open the notebooks in JupyterLab, which it installs into bin/
	tools/jupyter/start.sh

test-jupyter: ## run the notebooks in a real JupyterLab and browser, and compare
	tools/jupyter/test.sh

test-explore: ## use the pages of repro explore and repro report in a real browser
	tools/explore/test.sh

article: build ## build bin/article/article.pdf from the recorded run; needs LaTeX
	article/build.sh

wheel: ## package each platform's program for pip, in bin/wheels; PLATFORM=linux/amd64 for one platform alone
	tools/release/wheels.sh

release-check: ## look for vulnerabilities and at licences; make a snapshot of a release in bin/dist, and try it; PLATFORM=linux/amd64 for one platform alone
	tools/licences/audit.sh
	tools/release/check.sh

clean: ## remove what was built
	rm -rf bin
