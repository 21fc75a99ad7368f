// Package optimize has the scripts about previews, applies, reverts and bundles of optimizations.
package optimize

import (
	"flag"
	"os"
	"testing"

	"readiness/internal/pgtest"
	"readiness/scenarios"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

func TestScenarios(t *testing.T) {
	t.Parallel()
	scenarios.Run(t, "testdata", *update)
}
