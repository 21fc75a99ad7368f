package internal_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// mayImport is the architecture: which packages of this module each package may
// import, outside tests. A trailing /... includes the packages below. A package
// that is not listed fails the test, so a new package must be added here.
var mayImport = map[string][]string{
	"definition/...": {"definition/..."},
	"domain/...":     {"domain/...", "definition/...", "internal/optional"},

	// The scoring rules, from the texts of names up to the regimes in domain/readiness.
	"domain/readiness/wording":   {},
	"domain/readiness/finding":   {},
	"domain/readiness/model":     {"definition/...", "domain/readiness/wording", "domain/readiness/finding"},
	"domain/readiness/additions": {"definition/...", "domain/readiness/wording", "domain/readiness/finding", "domain/readiness/model"},
	"domain/readiness/rule":      {"definition/semanticmodel", "domain/readiness/finding", "domain/readiness/model"},
	"domain/readiness/rules/...": {
		"definition/...", "domain/readiness/rules/...", "domain/readiness/wording", "domain/readiness/finding", "domain/readiness/model",
		"domain/readiness/additions", "domain/readiness/rule",
	},

	"accounts":           {"definition/textfile", "domain/...", "internal/optional"},
	"documents":          {"internal/bucket", "internal/database"},
	"vault":              {"internal/database"},
	"people":             {"domain/item", "eventstore/sealed", "internal/database"},
	"eventstore":         {"domain/...", "internal/database", "eventstore/sealed"},
	"eventstore/sealed":  {},
	"eventstore/columns": {"eventstore"},
	"projections":        {"domain/...", "eventstore", "eventstore/sealed", "documents", "people", "internal/database"},
	// The trees over the log, and what publishes their heads.
	"audit":         {"audit/tree", "eventstore", "internal/database"},
	"audit/tree":    {},
	"audit/publish": {"audit", "internal/bucket"},
	// Carries an account to another deployment.
	"move": {"audit", "documents", "domain/item", "eventstore", "people", "vault", "internal/database"},
	// Deletes what an erased account has outside of the log.
	"erase": {"documents", "domain", "domain/operation", "domain/schedule", "eventstore", "projections", "internal/database"},
	// Copies the log to NATS.
	"forward": {"eventstore", "internal/database"},
	// Counts the page views that other processes collect.
	"collect": {"commands", "domain/pixies", "forward", "http/collector", "projections"},
	"platform/...": {
		"platform/...", "definition/...", "internal/durable", "internal/filelock",
		"domain", "domain/item", // the vocabulary, not the rules
		"internal/coalesce", "internal/jsonerror",
	},
	// The limits of calls to a remote platform; it calls none.
	"platform/quota": {"internal/database"},
	// What the platform has begun, shared by processes.
	"platform/reads": {"platform/fabric", "definition/...", "domain", "domain/item", "internal/database"},
	"ai/...": {
		"ai/...", "definition/...",
		"domain", "domain/item", "domain/proposal", "domain/proposal/screen", "domain/benchmark", "domain/benchmark/modelquery",
		"domain/comparison", "domain/aiprovider",
		"domain/readiness/...", // what a model exposes to an AI, and the rules that texts must satisfy
		"internal/optional",
	},
	// These reach the platform and the AI through interfaces that they declare.
	"commands": {"domain/...", "definition/...", "eventstore", "documents", "vault", "people", "internal/database", "internal/optional", "internal/processors"},
	"work":     {"domain/...", "definition/...", "eventstore", "documents", "vault", "people", "commands", "internal/database", "internal/fairqueue", "internal/processors"},
	// Turns of steps and calls; they know nothing of the work.
	"internal/fairqueue":  {},
	"internal/processors": {},

	"http/...":    {"http/...", "domain/...", "audit", "audit/tree", "commands", "projections", "internal/coalesce", "internal/database", "internal/fairqueue", "internal/optional"},
	"http/docs":   {"internal/docsite"},
	"http/paging": {"domain"},
	// The pages for people. They know the service by its client only, so that they can do nothing that a caller cannot.
	"http/console/...":             {"http/console/...", "client", "client/inprocess", "vault", "domain/readiness/...", "offline/show", "internal/optional"},
	"http/console/chart":           {},
	"http/console/evaluations":     {"http/console/...", "client", "domain/benchmark", "domain/comparison", "internal/optional"}, // stored documents
	"http/console/consoletest/...": {"..."},                                                                                      // a service for tests

	// The client for other modules: it depends on openapi.yaml and not on the
	// service's packages.
	"client":           {},
	"client/signin":    {},
	"client/inprocess": {},

	// What operators watch; it writes nothing.
	"monitor": {"eventstore", "projections"},

	// The service's rules for files, without log, queue and callers.
	"offline": {
		"domain/...", "definition/...", "platform/folder", "internal/durable", "internal/jsonerror", "offline/show", "offline/ignore",
		"offline/rulehelp",
	},
	"offline/show":       {},
	"offline/rulehelp":   {"domain/readiness", "domain/readiness/explained"},
	"offline/ignore":     {"domain/readiness/...", "definition/semanticmodel", "definition/textfile", "offline/rulehelp"},
	"offline/report/...": {"domain/...", "definition/...", "offline", "offline/show", "offline/rulehelp", "offline/report/..."},

	// Tools for AI agents: over files, and over the service as its callers.
	"mcp": {"domain/...", "offline/show"},
	"mcp/files": {
		"mcp", "offline", "domain/...", "definition/...",
		"ai", "ai/asking", // the embedded rules and the embedded engine
	},
	"mcp/service": {"mcp", "client", "client/inprocess", "domain/...", "internal/optional"},

	// Reports and gates over what the service stored of a run.
	"evaluation": {"domain/...", "offline/show", "offline/report/..."},

	// The commands that call a service know it by its client only.
	"cmd/readiness/cli": {},
	"cmd/readiness/clientcmd": {
		"cmd/readiness/cli", "cmd/readiness/clientcmd/sheet", "client", "client/signin", "evaluation", "offline/report/...", "offline/show",
		"domain/benchmark", "domain/benchmark/goldenset", "domain/comparison", // question files, and what verdicts are called
		"internal/filelock", "internal/jsonerror", "internal/optional",
	},
	"cmd/readiness/clientcmd/sheet": {"cmd/readiness/cli", "client", "internal/optional"},

	// These wire everything.
	"cmd/...":       {"..."},
	"scenarios/...": {"..."},

	".":                              {}, // embeds the documents
	"deploy/check":                   {}, // a separate module
	"migrations":                     {"internal/database"},
	"internal":                       {},
	"internal/bench":                 {"internal/postgres"},
	"internal/coalesce":              {},
	"internal/crosscheck":            {},
	"internal/database":              {},
	"internal/describe":              {},
	"internal/disk":                  {},
	"internal/durable":               {},
	"internal/bucket":                {"internal/durable"},
	"internal/filelock":              {},
	"internal/docsite":               {},
	"internal/docsite/writedocs":     {"internal/docsite"},
	"internal/demo/...":              {"..."},
	"internal/probe":                 {"internal/database"},
	"internal/notices":               {},
	"internal/eventpages":            {"commands", "domain/item", "eventstore", "projections"},
	"internal/rulepages":             {"domain/readiness", "domain/readiness/explained", "domain/readiness/finding", "offline/ignore", "internal/docsite"},
	"internal/jsonerror":             {},
	"internal/wiring":                {"..."},
	"internal/oracles":               {},
	"internal/auditoracles":          {}, // a separate module
	"internal/release":               {}, // a separate module
	"internal/natstest":              {},
	"internal/optional":              {},
	"internal/memdir":                {},
	"internal/pgtest":                {"migrations", "internal/database", "internal/memdir", "internal/postgres"},
	"internal/testlog":               {"projections", "internal/database", "internal/pgtest"},
	"internal/testworld":             {"..."},
	"internal/postgres":              {"internal/database", "internal/durable"},
	"internal/samples":               {},
	"internal/postgres/withpostgres": {"internal/memdir", "internal/postgres"},
	"internal/simulate":              {"domain/...", "eventstore", "http/token", "internal/database", "internal/postgres", "internal/wiring"},
}

// pure are the packages that only compute: the same input always gives the same
// output.
var pure = []string{"domain/...", "definition/...", "audit/tree"}

// impure are the packages that a pure one must not import, because they do I/O,
// wait or use random numbers.
var impure = []string{
	"context", "crypto/rand", "database/...", "io/fs", "io/ioutil", "log/...", "math/rand/...", "net", "net/http/...", "os/...", "runtime/...",
	"syscall", "github.com/jackc/...",
}

// impureCalls are the functions that a pure package must not call in packages that
// it may import.
var impureCalls = []string{
	"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc", "time.Tick", "time.NewTicker", "time.NewTimer", "time.Local",
	"uuid.New", "uuid.NewString", "uuid.NewRandom", "uuid.NewUUID", "uuid.NewV6", "uuid.NewV7",
	"fmt.Print", "fmt.Printf", "fmt.Println", "fmt.Scan", "fmt.Scanf", "fmt.Scanln",
}

func layerProblems(tree fs.FS) (problems []string, err error) {
	all, err := sources(tree)
	for _, s := range all {
		may, known := lookUp(s.pkg)
		if !known {
			problems = append(problems, fmt.Sprintf("%s: package %s has no place in the architecture: give it one in mayImport", s.path, s.pkg))
		}
		if s.test {
			continue
		}
		isPure := matches(pure, s.pkg)
		for _, p := range s.imports() {
			local, isLocal := strings.CutPrefix(p, module)
			if known && isLocal && !matches(may, local) {
				problems = append(problems, fmt.Sprintf("%s: %s may not import %s", s.path, s.pkg, local))
			}
			if isPure && matches(impure, p) {
				problems = append(problems, fmt.Sprintf("%s: %s is pure and may not import %s", s.path, s.pkg, p))
			}
		}
		for _, call := range s.calls() {
			if isPure && slices.Contains(impureCalls, call) {
				problems = append(problems, fmt.Sprintf("%s: %s is pure and may not use %s", s.path, s.pkg, call))
			}
		}
	}
	return problems, err
}

// lookUp returns what the package may import, by the most specific pattern that
// matches it.
func lookUp(pkg string) (may []string, known bool) {
	best := ""
	for pattern, list := range mayImport {
		if match(pattern, pkg) && len(pattern) > len(best) {
			best, may, known = pattern, list, true
		}
	}
	return may, known
}

func matches(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, pkg) })
}

func match(pattern, pkg string) bool {
	base, below := strings.CutSuffix(pattern, "/...")
	return pattern == "..." || pkg == base || below && strings.HasPrefix(pkg, base+"/")
}

func TestLayers(t *testing.T) {
	t.Parallel()
	check(t, layerProblems, map[string]struct {
		files map[string]string
		want  []string
	}{
		"what is allowed": {map[string]string{
			"domain/account/a.go":   `package account; import ("readiness/definition/tmdl"; "net/url"; "time"); type T = time.Time`,
			"domain/a_test.go":      `package domain_test; import ("os"; "readiness/eventstore"; "time"); var now = time.Now()`,
			"cmd/readiness/main.go": `package main; import ("os"; "readiness/http"; "readiness/platform/folder")`,
			"work/testdata/x.go":    `package x; import "readiness/http"`,
		}, nil},
		"against the layers": {map[string]string{
			"domain/a.go":          `package domain; import "readiness/eventstore"`,
			"eventstore/a.go":      `package eventstore; import "readiness/definition"`,
			"commands/a.go":        `package commands; import "readiness/platform/folder"`,
			"http/v1/a.go":         `package v1; import "readiness/eventstore"`,
			"platform/folder/a.go": `package folder; import "readiness/domain/account"`,
			"work/a.go":            `package work; import "readiness/cmd/readiness"`,
			"internal/a.go":        `package internal; import "readiness/domain"`,
		}, []string{
			"commands/a.go: commands may not import platform/folder",
			"domain/a.go: domain may not import eventstore",
			"eventstore/a.go: eventstore may not import definition",
			"http/v1/a.go: http/v1 may not import eventstore",
			"internal/a.go: internal may not import domain",
			"platform/folder/a.go: platform/folder may not import domain/account",
			"work/a.go: work may not import cmd/readiness",
		}},
		"a package of no layer": {map[string]string{
			"util/a.go": `package util`, "domainx/a_test.go": `package domainx`,
		}, []string{
			"domainx/a_test.go: package domainx has no place in the architecture: give it one in mayImport",
			"util/a.go: package util has no place in the architecture: give it one in mayImport",
		}},
		"impure": {map[string]string{
			"domain/x/a.go":     `package x; import ("os"; "math/rand/v2"; "time"); var now = time.Now`,
			"definition/d/a.go": `package d; import ("context"; "net/http"; "github.com/google/uuid"); func f() { uuid.New() }`,
		}, []string{
			"definition/d/a.go: definition/d is pure and may not import context",
			"definition/d/a.go: definition/d is pure and may not import net/http",
			"definition/d/a.go: definition/d is pure and may not use uuid.New",
			"domain/x/a.go: domain/x is pure and may not import math/rand/v2",
			"domain/x/a.go: domain/x is pure and may not import os",
			"domain/x/a.go: domain/x is pure and may not use time.Now",
		}},
	})
}
