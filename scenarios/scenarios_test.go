package scenarios_test

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the scripts")

// builds is the folder of the program that the crash tests kill.
var builds string

func TestMain(m *testing.M) {
	var err error
	if builds, err = os.MkdirTemp("", "readiness-scenarios-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(builds)
	os.Exit(code)
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                "testdata",
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Values[worldKey{}] = newWorld(env)
			return nil
		},
		Cmds: commandsOfScripts(),
	})
}
