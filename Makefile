# Everything needs Go only; `make lint` fetches staticcheck once.
DATA ?= $(CONTEXTMOVER_DATA)

.DEFAULT_GOAL := help
.PHONY: help build repro open test lint bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/repro
	go build -o bin/repro ./experiments/repro

repro: build ## regenerate the tables on the built-in mini world; no download
	bin/repro run sts --profile mini

open: build ## regenerate the tables on open real data: make open DATA=DIR
	@test -n "$(DATA)" || { echo "make open: name the data folder: make open DATA=DIR, or set CONTEXTMOVER_DATA" >&2; exit 2; }
	bin/repro run sts --profile open --data "$(DATA)"

test: ## vet and test all packages
	go vet ./...
	go test ./...

lint: ## formatting, vet, staticcheck
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "run gofmt -w on:"; echo "$$unformatted"; exit 1; } >&2
	go vet ./...
	$$(go -C tools tool -n staticcheck) ./...

bench: build ## measure this machine, in under a minute
	bin/repro bench

clean: ## remove what was built
	rm -rf bin
