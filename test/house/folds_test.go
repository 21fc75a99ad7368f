package house_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// ending are the streams that end with their subject, so they may be folded from
// the start. Any other stream keeps growing: a load must cache its state (FoldCached)
// or the events must carry totals (FoldLast).
var ending = []string{"operation.Stream", "benchmark.RunStream"}

// foldedFully are other streams that are folded from the start, and why.
var foldedFully = map[string]string{
	"commands/erase_person.go: person.Stream": "it holds one event",
	"commands/delete_results.go: stream":      "to delete all results of a model must name each of them",
	"commands/pin_assessment.go: stream":      "a pin names one of all results of a model, and is rare",
}

func foldProblems(tree fs.FS) (problems []string, err error) {
	all, err := sources(tree)
	for _, s := range all {
		if s.test || !slices.Contains(s.imports(), module+"eventstore") {
			continue
		}
		ast.Inspect(s.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 || types.ExprString(call.Fun) != "eventstore.Fold" {
				return true
			}
			stream, _, _ := strings.Cut(types.ExprString(call.Args[0]), "(")
			if where := s.path + ": " + stream; !slices.Contains(ending, stream) && foldedFully[where] == "" {
				problems = append(problems, fmt.Sprintf("%s keeps growing and is folded from the start: use FoldCached or FoldLast, or state in foldedFully why not", where))
			}
			return true
		})
	}
	return problems, err
}

// No load of a call or a step grows with the log.
func TestGrowingStreamsAreNotFoldedFully(t *testing.T) {
	t.Parallel()
	check(t, foldProblems, map[string]struct {
		files map[string]string
		want  []string
	}{
		"streams that end": {map[string]string{
			"commands/a.go":      `package commands; import "readiness/eventstore"; var p = eventstore.Fold(operation.Stream(id), operation.Evolve)`,
			"commands/a_test.go": `package commands; import "readiness/eventstore"; var p = eventstore.Fold(account.Stream(id), account.Evolve)`,
			"work/a.go":          `package work; import "readiness/eventstore"; var p, q = eventstore.FoldCached(account.Stream(id), e), eventstore.FoldLast[S](stream)`,
		}, nil},
		"streams that grow": {map[string]string{
			"commands/a.go": `package commands; import "readiness/eventstore"; func f() { load(ctx, eventstore.Fold(account.Stream(id), account.Evolve)) }`,
			"work/a.go":     `package work; import "readiness/eventstore"; var p = eventstore.Fold(stream, e)`,
		}, []string{
			"commands/a.go: account.Stream keeps growing and is folded from the start: use FoldCached or FoldLast, or state in foldedFully why not",
			"work/a.go: stream keeps growing and is folded from the start: use FoldCached or FoldLast, or state in foldedFully why not",
		}},
	})
}
