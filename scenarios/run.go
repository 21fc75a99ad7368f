package scenarios

import (
	"embed"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// shared are the files that every script finds: tables of models and the accounts.
//
//go:embed testdata/*.tmdl testdata/accounts.yaml
var shared embed.FS

// Run runs every script of a folder, each as a test with its own service. If update is set, it rewrites the golden
// parts of the scripts.
func Run(t *testing.T, folder string, update bool) {
	t.Helper()
	testscript.Run(t, testscript.Params{
		Dir:                folder,
		UpdateScripts:      update,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			env.Values[worldKey{}] = newWorld(env)
			return nil
		},
		Cmds: commandsOfScripts(),
	})
}
