# A fresh clone needs only Go and make; internal/postgres finds or downloads PostgreSQL.

SHELL := /usr/bin/env bash
.DEFAULT_GOAL := help
.PHONY: help build build/check run demo test test/fabric test/oracles test/azure test/mcp test/console test/release test/windows test/hard test/race deploy/check lint fmt module fuzz fuzz/http soak simulate bench bench/check bench/report measure/gaming measure/honest measure/first lift migrate \
	generate docs docs/screenshots clean release/snapshot release/image release/vscode

# DATA: data directory of run and migrate. PKG: packages of test, lint, bench and fuzz. SOAK, FUZZTIME: duration of the soak and of each fuzz target.
# SIMULATE: duration of the simulation, in which a day passes. SIMULATEFLAGS: its further flags, such as -factor or -models.
# BENCH: pattern of benchmarks. FUZZREQUESTS: calls to each route by fuzz/http.
DATA ?= .readiness
PKG ?= ./...
SOAK ?= 10m
SIMULATE ?= 20m
SIMULATEFLAGS ?=
BENCH ?= .
FUZZTIME ?= 1m
FUZZREQUESTS ?= 10000
# ROUNDS, FIGURES: how often bench/report runs each benchmark, and a text of the commands that it runs; by default all.
ROUNDS ?= 3
FIGURES ?=
# DOCS_URL: address of this version's folder docs, where reports of the built program link to the page of a rule; without it they have no links.
DOCS_URL ?=
# SOURCE_URL: address of this version's folder at a forge, where the pages of make docs link to source files; without it they have no such links.
SOURCE_URL ?=
# TESTFLAGS: further flags for go test, such as -run or a test's own -update.
# ARCH: processor of the image that release/image builds.
ARCH ?= amd64
TESTFLAGS ?=
# STAY: 1 keeps the service of the demo running.
STAY ?=
# Each wait of a test has its own limit of minutes; this one catches endless loops.
LIMIT := -timeout 1h
# The seed of the rapid property tests; 0 chooses a new one each time.
export RAPID_SEED ?= 1
# Many tests wait for a server or a worker, so more of them run at once than there are processors.
PARALLEL := -parallel 6

# The linter is a tool of the module with its own list of dependencies, so that none of them is one of the program. The go command keeps its build.
# Half of its time was the collection of garbage.
GOLANGCI_LINT := GOGC=300 go tool -modfile=internal/lint.mod golangci-lint
# One temporary server for the tests of all packages.
WITH_POSTGRES := go run ./internal/postgres/withpostgres

help: ## print this help
	@awk -F ':.*## ' '/^[a-z\/]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

build: ## build bin/readiness and bin/readinessd
	go build $(if $(DOCS_URL),-ldflags '-X readiness/offline/rulehelp.DocsURL=$(DOCS_URL)') -o bin/ ./cmd/readiness ./cmd/readinessd

run: build ## serve on 127.0.0.1:8080, where the console is, with a copy of the sample workspaces, next to DATA
	@test -d $(DATA)-workspaces || cp -R samples/workspaces $(DATA)-workspaces
	bin/readinessd serve --data $(DATA) --platform folder:$(DATA)-workspaces --accounts samples/accounts.yaml

demo: ## start the service in a temporary directory, call it over HTTP, and clean up; PLATFORM=emulator: over an emulated Fabric; STAY=1: keep it
	@echo 'Building the demo. The first build also compiles its libraries, which takes a minute.'
	@STAY=$(STAY) go run ./test/demo $(if $(PLATFORM),-platform $(PLATFORM))

test: ## run every test except the hard ones, on a temporary PostgreSQL
	$(WITH_POSTGRES) go test -vet=all $(PARALLEL) $(LIMIT) $(PKG) $(TESTFLAGS)

# The packages with hard tests: files that begin with //go:build hard, tests whose names begin with TestHard (test/house/hard_test.go).
HARD_PKG = $(if $(filter ./...,$(PKG)),$(shell grep -rl --include='*_test.go' '^//go:build hard' . | xargs -n1 dirname | sort -u),$(PKG))

test/hard: ## run the long tests: many kills, several processes, the soak, fuzzed routes, latency
	$(WITH_POSTGRES) go test -vet=all -tags hard -run '^TestHard' -count=1 -parallel 4 -timeout 0 -v $(HARD_PKG)

test/fabric: ## run the scenarios, the conformance tests of packages and the demo over Fabric's REST interface and its emulator instead of a folder
	READINESS_TEST_PLATFORM=fabric $(WITH_POSTGRES) go test -count=1 $(PARALLEL) $(LIMIT) ./test/scenarios ./test/scenarios/evaluation ./test/scenarios/optimize ./test/scenarios/pixies ./commands ./http ./work $(TESTFLAGS)
	@$(MAKE) --no-print-directory demo PLATFORM=emulator

build/check: ## check the types of the programs and their dependencies for every system and processor of a release
	go run ./deploy/crosscheck

# wine of Debian 12, and the linker that makes the library which that lacks.
WITH_WINE := command -v wine >/dev/null && command -v x86_64-w64-mingw32-ld >/dev/null || { apt-get update && \
	DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends wine wine64 binutils-mingw-w64-x86-64; }

test/release: ## check that a release is the same bytes twice, that a changed one is found, that nothing in it is a placeholder, and that npm, dpkg, rpm, buildah and wine install it (a separate module)
	@command -v rpm >/dev/null || { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends rpm; }
	@command -v buildah >/dev/null || { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends buildah; }
	@$(WITH_WINE)
	cd deploy/release && go test -vet=all -timeout 20m ./... $(TESTFLAGS)

test/windows: ## install the archive for Windows under wine, and let its program assess, apply and revert there (a separate module)
	@$(WITH_WINE)
	cd deploy/release && go test -vet=all -count=1 -run '^TestWindows$$' -v . $(TESTFLAGS)

test/oracles: ## run libraries of others: Microsoft's SDK and those for Entra on the emulator, Tessera on the audit trees (separate modules)
	cd test/oracles && go test -vet=all -timeout 10m ./... $(TESTFLAGS)
	$(WITH_POSTGRES) sh -c 'cd test/auditoracles && go test -vet=all -timeout 10m ./... $(TESTFLAGS)'

test/azure: ## publish heads to Azurite, Microsoft's emulator of Azure Blob Storage, which npm installs
	$(WITH_POSTGRES) sh -c 'cd test/auditoracles && go test -tags npm -count=1 -run "^TestNPMAzure" -v .'

test/mcp: ## try the MCP server with clients and a server of other makers, which npm installs; readiness lsp with VS Code's library and Neovim
	$(WITH_POSTGRES) go test -tags npm -count=1 -run '^TestNPM$$' -v ./cmd/readinessd
	go test -tags npm -count=1 -run '^TestNPMEditor$$' -v ./cmd/readiness/desk

test/console: ## try the console in a real browser, and examine every page by axe-core, which npm installs
	$(WITH_POSTGRES) go test -tags npm -count=1 -timeout 30m -v ./http/console/stories/... -args -browser

test/race: ## run every test under the race detector
	$(WITH_POSTGRES) go test -race $(PKG)

# What deploy/check needs of Debian: promtool, systemd-analyze, pgbouncer (which is not in every PATH).
DEPLOY_PACKAGES := prometheus systemd pgbouncer

deploy/check: ## check alerts, dashboard, compose, Kustomize and units of deploy, and the probe with PgBouncer, with Debian's packages
	@export PATH="$$PATH:/usr/sbin"; if ! command -v promtool >/dev/null || ! command -v systemd-analyze >/dev/null || ! command -v pgbouncer >/dev/null; then \
		apt-get update && RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $(DEPLOY_PACKAGES); fi
	cd deploy/check && go vet ./... && go test -count=1 -timeout 30m ./...
	$(WITH_POSTGRES) go test -tags hard -run '^TestHardPgBouncer$$' -count=1 ./internal/probe

lint: ## run the linters of .golangci.yml
	$(GOLANGCI_LINT) run --allow-parallel-runners $(PKG)

fmt: ## format the code as lint requires
	$(GOLANGCI_LINT) fmt $(PKG)

# A target that reaches its time limit at a bad moment is reported as failed, without an input (golang/go#75804, fixed in Go 1.27).
OUT_OF_TIME := grep -q 'context deadline exceeded' "$$out" && ! grep -q -e 'Failing input' -e '/seed\#' "$$out"

# Fuzzing minimizes each new input first. With an entire sample as a seed that would use up the time limit, so 20 tries must do.
fuzz: ## run each fuzz target for FUZZTIME
	@set -e -o pipefail; out=$$(mktemp); trap 'rm -f "$$out"' EXIT; for pkg in $$(go list $(PKG)); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg 2>&1 | tee "$$out" || { $(OUT_OF_TIME); } || exit 1; \
		done; \
	done

soak: ## load two processes for SOAK, kill them and PostgreSQL meanwhile, and compare everything with the log; PLATFORM=emulator: over an emulated Fabric; STANDBY=1: promote standbys instead
	go test ./test/scenarios/program/soak -tags hard -run '^$(if $(STANDBY),TestHardPromotion,TestHardSoak)$$' -v -count=1 -timeout 0 -soak.for $(SOAK) -soak.pause 100ms \
		$(if $(PLATFORM),-soak.platform $(PLATFORM))

simulate: ## send a day of the largest tenant within SIMULATE, compare everything with the log, and write simulation.tsv and simulation.svg (docs/performance.md)
	go run ./test/simulate -for $(SIMULATE) $(SIMULATEFLAGS)

fuzz/http: ## send FUZZREQUESTS malformed calls to every route of openapi.yaml
	FUZZREQUESTS=$(FUZZREQUESTS) $(WITH_POSTGRES) go test ./http -run '^TestFuzzedRoutes$$' -count 1 -timeout 0

bench: ## run the benchmarks that BENCH matches, by default all (docs/performance.md)
	$(WITH_POSTGRES) go test -run '^$$' -bench '$(BENCH)' -benchmem -timeout 2h $(PKG)

bench/check: ## fail if a ratio of the table that is stable enough is below half its goal
	go run ./test/bench/report -check -rounds 1

bench/report: ## run the benchmarks behind docs/performance.md, ROUNDS times each, and write its table (FIGURES='Emmett ./eventstore' for some); Emmett is installed by npm
	go run ./test/bench/report -rounds $(ROUNDS) -only '$(FIGURES)'

measure/gaming: ## what noise earns in the score, beside honest texts; SEED draws the texts, MODELS is a folder of models
	go run ./test/measure $(if $(SEED),-seed $(SEED)) $(or $(MODELS),$(READINESS_CORPUS),samples)

measure/honest: ## which edits of a careful owner lower a score; SEED draws them, MODELS is a folder of models
	go run ./test/measure -honest $(if $(SEED),-seed $(SEED)) $(or $(MODELS),$(READINESS_CORPUS),samples)

measure/first: ## how often each rule is among the first six of a model; MODELS is a folder of models
	go run ./test/measure -first $(or $(MODELS),$(READINESS_CORPUS),samples)

lift: ## what accepting every proposal does to the answers of the rules engine, in samples and the corpus; SEED draws the questions
	READINESS_LIFT_SEED=$(SEED) go test ./offline/lift -run '^TestProposalsMakeNoAnswerWrong$$' -count 1 -v

migrate: ## migrate the database in DATA to this version's schema
	go run ./cmd/readinessd migrate up --data $(DATA)

generate: ## regenerate all that follows from http/openapi.yaml, the pages in docs/rules, and docs/events.md
	go generate ./...

docs: ## write the documents as a site of static pages into dist/docs
	rm -rf dist/docs
	go run ./http/docs/site/writedocs -source '$(SOURCE_URL)' dist/docs

docs/screenshots: ## write a picture of every screen of the console, in both themes, into docs/screens
	mkdir -p docs/screens
	$(WITH_POSTGRES) go test -count=1 -timeout 30m -run '^TestScreens$$' ./http/console/stories/screens -args -browser -screens $(CURDIR)/docs/screens

release/snapshot: ## build what a release of HEAD has, in dist: archives, packages (npm, deb, rpm), manifests (winget, Scoop, Homebrew) if OWNER and HOME_URL are given, bills of materials, checksums, and with buildah the container image (TARGETS=linux/amd64,… for some)
	cd deploy/release && go run . -source ../.. -out $(CURDIR)/dist $(if $(TARGETS),-targets $(TARGETS)) $(if $(DOCS_URL),-docs-url $(DOCS_URL)) $(if $(OWNER),-owner $(OWNER)) $(if $(HOME_URL),-home $(HOME_URL)) \
		$(if $(MAINTAINER),-maintainer '$(MAINTAINER)') $(if $(KEY),-key-file $(KEY))
	@if ! command -v buildah >/dev/null || ! ls dist/readinessd_*_linux_$(ARCH).tar.gz >/dev/null 2>&1; then echo 'No container image: it needs buildah, and the archive for Linux.'; \
		else $(MAKE) --no-print-directory release/image; fi

# Lists a file that was added to a release in dist; the packed extension alone is no release.
SIGN_AGAIN = test ! -e dist/checksums.txt || (cd deploy/release && go run . -sign $(CURDIR)/dist $(if $(KEY),-key-file $(KEY)))

release/vscode: ## pack the extension for VS Code as dist/readiness.vsix, with what npm installs (VERSION=1.2.3), after release/snapshot, whose checksums list it
	set -e; work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; mkdir -p dist; cp -r editors/vscode/. LICENSE "$$work"; cd "$$work"; \
		npm install --ignore-scripts --no-audit --no-fund --no-package-lock; npm run build; \
		npx vsce package $(VERSION) --no-dependencies --allow-missing-repository --no-git-tag-version --no-update-package-json -o $(CURDIR)/dist/readiness.vsix
	@$(SIGN_AGAIN)

release/image: ## build the container image of dist's readinessd for Linux and ARCH (amd64) by buildah, as dist/readiness_ARCH.oci.tar
	set -e; work=$$(mktemp -d); trap 'rm -rf "$$work"' EXIT; tar -xzf dist/readinessd_*_linux_$(ARCH).tar.gz -C "$$work" --strip-components 1; \
		bash deploy/container/build.sh "$$work/readinessd" "$$("$$work/readinessd" version | cut -d ' ' -f 2)" "$$(git log -1 --format=%ct)" dist/readiness_$(ARCH).oci.tar
	@$(SIGN_AGAIN)

module: ## give this clone the module path MODULE (github.com/you/readiness), so that others can import the client
	go run ./deploy/module '$(MODULE)'

clean: ## remove build output; keep the data directory
	rm -rf bin dist coverage.out
	go clean -testcache
