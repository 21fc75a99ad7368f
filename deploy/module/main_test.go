package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func do(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// A copy with another module path resolves every import, in all its modules, and a program of another module imports its client.
func TestRename(t *testing.T) {
	t.Parallel()
	const ours = "github.com/contoso/ready"
	copied := filepath.Join(t.TempDir(), "copy")
	do(t, ".", "git", "clone", "--quiet", "../..", copied)
	if n, err := rename(t.Context(), copied, ours); err != nil || n < 500 {
		t.Fatalf("%d files changed: %v", n, err)
	}
	for _, module := range []string{".", "deploy/check", "deploy/release", "test/oracles", "test/auditoracles"} {
		for line := range strings.Lines(do(t, filepath.Join(copied, module), "go", "list", "-test", "-f", "{{join .Imports \"\\n\"}}", "./...")) {
			if strings.HasPrefix(line, "readiness/") || line == "readiness\n" {
				t.Errorf("%s imports %s", module, line)
			}
		}
	}
	other := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/other\n\ngo 1.26.0\n\nrequire " + ours + " v0.0.0\n\nreplace " + ours + " => " + copied + "\n",
		"main.go": `package main

import (
	"fmt"

	"` + ours + `/client"
)

func main() {
	_, err := client.Open("readiness.example.com", client.Options{})
	fmt.Println(err)
}
`} {
		if err := os.WriteFile(filepath.Join(other, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sums, err := os.ReadFile(filepath.Join(copied, "go.sum"))
	if err == nil {
		err = os.WriteFile(filepath.Join(other, "go.sum"), sums, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if said := do(t, other, "go", "run", "."); !strings.Contains(said, "must be http:// or https://") {
		t.Errorf("the program that imports the client says %s", said)
	}
}

func TestRenameRefuses(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "readiness", "github.com", "github.com/", "github.com/you/", "/github.com/you/x", "github.com/../x", "github.com/you/x y", "https://github.com/you/x", "github.com/-x"} {
		if n, err := rename(t.Context(), "../..", path); err == nil || n != 0 {
			t.Errorf("%q: %d files changed, %v", path, n, err)
		}
	}
}
