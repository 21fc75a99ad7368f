// Package optimize has the scripts about previews, applies, reverts and bundles of optimizations.
package optimize

import (
	"flag"
	"testing"

	"readiness/scenarios"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

func TestScenarios(t *testing.T) {
	t.Parallel()
	scenarios.Run(t, "testdata", *update)
}
