package scenarios

import (
	"embed"
	"flag"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// shared are the files that every script finds: tables of models and the accounts.
//
//go:embed testdata/*.tmdl testdata/accounts.yaml
var shared embed.FS

// Update says that tests rewrite their golden files and parts of scripts.
var Update = flag.Bool("update", false, "rewrite the golden files, and the golden parts of scripts")

// Run runs every script in the folder testdata of a package, each as a test with its own service.
func Run(t *testing.T) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                "testdata",
		UpdateScripts:      *Update,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Values[worldKey{}] = newWorld(env)
			return nil
		},
		Cmds: commandsOfScripts(),
	})
}
