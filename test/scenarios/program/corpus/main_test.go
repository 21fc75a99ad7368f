// Package corpus_test lets the program improve public models, and revert all of it.
package corpus_test

import (
	"os"
	"testing"

	"readiness/test/scenarios/program"
)

func TestMain(m *testing.M) { os.Exit(program.Main(m)) }
