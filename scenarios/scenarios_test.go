package scenarios_test

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
