package house_test

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
)

// reach says of folders which packages of this module they may import outside tests, at most. Between other folders the one rule is that
// imports lead down: see arrowsUp.
var reach = map[string][]string{
	"internal":     {"internal"}, // the ground
	"definition":   {"definition"},
	"domain":       {"domain", "definition", "internal/lateregexp", "internal/lists", "internal/nearest", "internal/optional"},
	"client":       {"client"},                                                                // for other modules: it depends on openapi.yaml alone
	"commands":     {"commands", "domain", "definition", "eventstore", "storage", "internal"}, // reach platform and AI by interfaces of their own
	"work":         {"work", "commands", "domain", "definition", "eventstore", "storage", "internal"},
	"projections":  {"projections", "domain", "definition", "eventstore", "storage", "internal"},
	"platform":     {"platform", "definition", "domain", "internal"},
	"http/console": {"http/console", "client", "storage/vault", "domain", "offline/show", "internal"}, // people can do nothing that a caller cannot
	"cmd/readiness": {"cmd/readiness", "cmd/cli", "cmd/declared", "client", "mcp", "mcp/files", "offline", "ai", "platform/folder", "domain", "definition",
		"internal"},
}

// pure are the packages that only compute: the same input always gives the same
// output.
var pure = []string{"domain/...", "definition/...", "eventstore/audit/tree"}

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

// layerProblems lists imports that reach does not allow, that lead up, or that make a pure package impure.
func layerProblems(tree fs.FS) (problems []string, err error) {
	all, err := sources(tree)
	arrows := map[[2]string]string{}
	for _, s := range all {
		if s.test {
			continue
		}
		may, isPure := reach[s.pkg], matches(pure, s.pkg)
		for above := s.pkg; may == nil && above != "."; above = path.Dir(above) {
			may = reach[above]
		}
		for _, p := range s.imports() {
			local, isLocal := strings.CutPrefix(p, module)
			if isPure && matches(impure, p) {
				problems = append(problems, fmt.Sprintf("%s: %s is pure and may not import %s", s.path, s.pkg, p))
			}
			if !isLocal {
				continue
			}
			if may != nil && !slices.ContainsFunc(may, func(of string) bool { return match(of+"/...", local) }) {
				problems = append(problems, fmt.Sprintf("%s: %s may not import %s", s.path, s.pkg, local))
			}
			if from, to := top(s.pkg), top(local); from != to {
				arrows[[2]string{from, to}] = s.path
			}
		}
		for _, call := range s.calls() {
			if isPure && slices.Contains(impureCalls, call) {
				problems = append(problems, fmt.Sprintf("%s: %s is pure and may not use %s", s.path, s.pkg, call))
			}
		}
	}
	return append(problems, arrowsUp(arrows)...), err
}

// arrowsUp lists the imports between top folders by which the one that is imported reaches the one that imports. The key of arrows is who
// imports whom, the value a file that does.
func arrowsUp(arrows map[[2]string]string) (problems []string) {
	reached := map[string]map[string]bool{}
	from := func(folder string) map[string]bool {
		if reached[folder] == nil {
			reached[folder] = map[string]bool{}
			for changed := true; changed; {
				before := len(reached[folder])
				for arrow := range arrows {
					if arrow[0] == folder || reached[folder][arrow[0]] {
						reached[folder][arrow[1]] = true
					}
				}
				changed = len(reached[folder]) > before
			}
		}
		return reached[folder]
	}
	for _, arrow := range slices.SortedFunc(maps.Keys(arrows), func(a, b [2]string) int { return strings.Compare(a[0]+" "+a[1], b[0]+" "+b[1]) }) {
		if from(arrow[1])[arrow[0]] {
			problems = append(problems, fmt.Sprintf("%s: %s imports %s, which leads back to it", arrows[arrow], arrow[0], arrow[1]))
		}
	}
	return problems
}

func top(pkg string) string {
	folder, _, _ := strings.Cut(pkg, "/")
	return folder
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
			"domain/account/a.go":    `package account; import ("readiness/definition/tmdl"; "net/url"; "time"); type T = time.Time`,
			"domain/a_test.go":       `package domain_test; import ("os"; "readiness/eventstore"; "time"); var now = time.Now()`,
			"cmd/readinessd/main.go": `package main; import ("os"; "readiness/http"; "readiness/platform/folder")`,
			"work/testdata/x.go":     `package x; import "readiness/http"`,
			"eventstore/a.go":        `package eventstore; import "readiness/domain"`,
			"http/a.go":              `package http; import "readiness/eventstore/audit"`,
		}, nil},
		"out of reach": {map[string]string{
			"domain/a.go":                 `package domain; import "readiness/eventstore"`,
			"commands/a.go":               `package commands; import "readiness/platform/folder"`,
			"work/a.go":                   `package work; import "readiness/cmd/readinessd"`,
			"internal/a.go":               `package internal; import "readiness/domain"`,
			"http/console/page/a.go":      `package page; import "readiness/commands"`,
			"cmd/readiness/desk/serve.go": `package desk; import "readiness/eventstore"`,
		}, []string{
			"cmd/readiness/desk/serve.go: cmd/readiness/desk may not import eventstore",
			"commands/a.go: commands may not import platform/folder",
			"domain/a.go: domain may not import eventstore",
			"http/console/page/a.go: http/console/page may not import commands",
			"internal/a.go: internal may not import domain",
			"work/a.go: work may not import cmd/readinessd",
		}},
		"a circle": {map[string]string{
			"eventstore/a.go": `package eventstore; import "readiness/http/rate"`,
			"http/v1/a.go":    `package v1; import "readiness/storage/vault"`,
			"storage/a.go":    `package storage; import "readiness/eventstore"`,
			"mcp/a.go":        `package mcp; import "readiness/http"`,
		}, []string{
			"eventstore/a.go: eventstore imports http, which leads back to it",
			"http/v1/a.go: http imports storage, which leads back to it",
			"storage/a.go: storage imports eventstore, which leads back to it",
		}},
		"a test's": {map[string]string{
			"work/a.go": `package work; import "readiness/test/testworld"`,
		}, []string{"work/a.go: work may not import test/testworld"}},
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
