package internal_test

import (
	"fmt"
	"go/ast"
	"go/types"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

// ending are the streams that end with what they are about, so that they may be folded whole. Any other goes on growing: who loads
// one keeps its state (FoldKept) or has its events carry totals (FoldLast).
var ending = []string{"operation.Stream", "benchmark.RunStream"}

// foldedWhole are other streams that are, and why.
var foldedWhole = map[string]string{
	"commands/delete_results.go: stream": "to delete all results of a model is to name each of them",
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
			if where := s.path + ": " + stream; !slices.Contains(ending, stream) && foldedWhole[where] == "" {
				problems = append(problems, fmt.Sprintf("%s goes on growing and is folded whole", where))
			}
			return true
		})
	}
	return problems, err
}

// Nothing that a call or a step loads grows with the log.
func TestNoStreamThatGrowsIsFoldedWhole(t *testing.T) {
	t.Parallel()
	check(t, foldProblems, map[string]struct {
		files map[string]string
		want  []string
	}{
		"streams that end": {map[string]string{
			"commands/a.go":      `package commands; import "readiness/eventstore"; var p = eventstore.Fold(operation.Stream(id), operation.Evolve)`,
			"commands/a_test.go": `package commands; import "readiness/eventstore"; var p = eventstore.Fold(account.Stream(id), account.Evolve)`,
			"work/a.go":          `package work; import "readiness/eventstore"; var p, q = eventstore.FoldKept(account.Stream(id), e), eventstore.FoldLast[S](stream)`,
		}, nil},
		"streams that grow": {map[string]string{
			"commands/a.go": `package commands; import "readiness/eventstore"; func f() { load(ctx, eventstore.Fold(account.Stream(id), account.Evolve)) }`,
			"work/a.go":     `package work; import "readiness/eventstore"; var p = eventstore.Fold(stream, e)`,
		}, []string{"commands/a.go: account.Stream goes on growing and is folded whole", "work/a.go: stream goes on growing and is folded whole"}},
	})
}
