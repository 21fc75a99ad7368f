package desk

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A model that is the root of the checkout is assessed, changed and restored byte for byte, and the printed line undoes
// the change as it stands, in folders with spaces too.
func TestApplyAtTheRoot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		folder string   // of the model
		in     string   // the current folder, relative to the model's
		args   []string // of apply
	}{
		"the checkout":                {"checkout", ".", []string{"."}},
		"an item's folder":            {"M.SemanticModel", ".", []string{"."}},
		"with spaces":                 {"it's a \"check\" out", ".", []string{"."}},
		"from above":                  {"my checkout", "..", []string{"my checkout", "--root", "my checkout"}},
		"with the root above":         {"my checkout", ".", []string{".", "--root", ".."}},
		"with a record":               {"checkout", ".", []string{".", "--record", "../my record.json"}},
		"with a record of both kinds": {"my checkout", ".", []string{".", "--root", "..", "--record", ".my record.json"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := filepath.Join(t.TempDir(), c.folder)
			for name, text := range modelFiles {
				file := filepath.Join(model, filepath.FromSlash(strings.TrimPrefix(name, "M.SemanticModel/")))
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(model, "definition.pbism"), []byte(`{"version":"4.2","settings":{}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			before := contents(t, model)
			program := func(line string, args ...string) string {
				t.Helper()
				cmd := exec.Command(os.Args[0], args...)
				if line != "" {
					cmd = exec.Command("bash", "-c", "readiness() { \"$PROGRAM\" \"$@\"; }; "+line)
				}
				cmd.Dir, cmd.Env = filepath.Join(model, c.in), append(os.Environ(), "READINESS_TEST_AS_PROGRAM=1", "PROGRAM="+os.Args[0])
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s %q: %v\n%s", line, args, err, out)
				}
				return string(out)
			}
			program("", append([]string{"assess"}, c.args[0])...)
			out := program("", append([]string{"apply", "--write"}, c.args...)...)
			_, undo, printed := strings.Cut(out, "To undo: ")
			undo, _, _ = strings.Cut(undo, "\n")
			if !printed || cmp.Equal(before["definition/tables/T.tmdl"], contents(t, model)["definition/tables/T.tmdl"]) {
				t.Fatalf("nothing was written, or no line undoes it:\n%s", out)
			}
			program(undo)
			after := contents(t, model)
			for name := range after {
				if strings.HasPrefix(path.Base(name), ".readiness-apply-") || strings.HasSuffix(name, " record.json") {
					delete(after, name)
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("after %s (-want +got):\n%s", undo, diff)
			}
		})
	}
}
