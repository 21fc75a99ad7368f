# Everything works from a fresh clone with Go and make; PostgreSQL is found or downloaded (internal/postgres).

SHELL := /usr/bin/env bash
.DEFAULT_GOAL := help
.PHONY: help build run demo test test/hard test/busy test/race lint fmt fuzz fuzz/http soak bench migrate generate conformance clean

# The data directory of run and migrate, the packages of test, bench and fuzz, which benchmarks run, how long the soak and each fuzz target run, and how
# many calls fuzz/http makes to each route.
DATA ?= .readiness
PKG ?= ./...
SOAK ?= 10m
BENCH ?= .
FUZZTIME ?= 1m
FUZZREQUESTS ?= 10000
# How often test/busy runs make test, and what else test gives go test.
RUNS ?= 10
TESTFLAGS ?=
# Each wait of a test has its own limit, of minutes; this one is for what never waits and never ends.
LIMIT := -timeout 1h
# What rapid draws at random goes by a seed too; 0 draws another each time.
export RAPID_SEED ?= 1
# Many tests wait for a server or a worker, so more of them run at once than there are processors.
PARALLEL := -parallel 6

GOLANGCI_LINT := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# One throwaway server for the tests of all packages.
WITH_POSTGRES := go run ./internal/postgres/withpostgres

help: ## print this
	@awk -F ':.*## ' '/^[a-z\/]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

build: ## build bin/readiness
	go build -o bin/ ./cmd/readiness

run: build ## serve on 127.0.0.1:8080 with a copy of the sample workspaces; DATA keeps both
	@test -d $(DATA)-workspaces || cp -R samples/workspaces $(DATA)-workspaces
	bin/readiness serve --data $(DATA) --platform folder:$(DATA)-workspaces --accounts samples/accounts.yaml

demo: ## start the service in a temporary directory, drive it over HTTP, and leave nothing behind
	@echo 'Building the demo; the first time its libraries are compiled, too, which takes a minute.'
	@go run ./internal/demo

test: ## run every test but the hard ones, on a throwaway PostgreSQL
	$(WITH_POSTGRES) go test -vet=all $(PARALLEL) $(LIMIT) $(TESTFLAGS) $(PKG)

# What test/busy gives make test: every test is run, and told of.
BUSY := $(MAKE) --no-print-directory test TESTFLAGS='-count=1 -v'

test/busy: ## run make test RUNS times beside busy loops that keep the load above 15, then once on one processor
	go run ./internal/busy -runs $(RUNS) -- $(BUSY)
	go run ./internal/busy -runs 1 -loops 0 -- taskset -c 0 $(BUSY)

# The packages that have hard tests: those in files that begin with //go:build hard, whose names begin with TestHard (internal/hard_test.go).
HARD_PKG = $(if $(filter ./...,$(PKG)),$(shell grep -rl --include='*_test.go' '^//go:build hard' . | xargs -n1 dirname | sort -u),$(PKG))

test/hard: ## run what takes long: many kills, several processes, the soak, fuzzed routes, latency
	$(WITH_POSTGRES) go test -vet=all -tags hard -run '^TestHard' -count=1 -timeout 0 -v $(HARD_PKG)

test/race: ## run every test under the race detector
	$(WITH_POSTGRES) go test -race $(PKG)

lint: ## run the linters of .golangci.yml
	$(GOLANGCI_LINT) run $(PKG)

fmt: ## format the code as lint wants it
	$(GOLANGCI_LINT) fmt $(PKG)

# A target whose time ends at a bad moment is said to have failed, of no input (golang/go#75804, mended in Go 1.27).
OUT_OF_TIME := grep -q 'context deadline exceeded' "$$said" && ! grep -q -e 'Failing input' -e '/seed\#' "$$said"

# What is new is made smaller before anything else is tried, which with a whole sample for a seed takes all the time there is; 20 tries are enough.
fuzz: ## run each fuzz target for FUZZTIME
	@set -e -o pipefail; said=$$(mktemp); trap 'rm -f "$$said"' EXIT; for pkg in $$(go list $(PKG)); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg 2>&1 | tee "$$said" || { $(OUT_OF_TIME); } || exit 1; \
		done; \
	done

soak: ## load two processes while they and PostgreSQL are killed, for SOAK, and hold everything against the log
	go test ./scenarios -tags hard -run '^TestHardSoak$$' -v -count=1 -timeout 0 -soak.for $(SOAK) -soak.pause 100ms

fuzz/http: ## send FUZZREQUESTS malformed calls to every route of openapi.yaml
	FUZZREQUESTS=$(FUZZREQUESTS) $(WITH_POSTGRES) go test ./http -run '^TestFuzzedRoutes$$' -count 1 -timeout 0

bench: ## run every benchmark, or those that BENCH matches (docs/performance.md)
	$(WITH_POSTGRES) go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 2h $(PKG)

migrate: ## bring the database in DATA up to this version's schema
	go run ./cmd/readiness migrate up --data $(DATA)

generate: ## generate code again from http/openapi.yaml
	go generate ./...

conformance: ## write docs/conformance.md from the markers in tests
	go run ./internal/conformance

clean: ## remove what was built; the data directory stays
	rm -rf bin coverage.out
	go clean -testcache
