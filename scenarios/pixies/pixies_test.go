// Package pixies has the scripts about Pixies in reports, what they count, and tracked items.
package pixies

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
