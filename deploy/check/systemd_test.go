package check_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// units returns a copy of the units whose program is one that is installed here, since systemd-analyze looks for it.
func units(t *testing.T) (dir string, names []string) {
	t.Helper()
	dir = t.TempDir()
	all, err := filepath.Glob("../systemd/readiness*.[st]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		text := strings.ReplaceAll(string(read(t, path)), "/usr/bin/readinessd ", "/bin/true ")
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(path)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.Join(dir, filepath.Base(path)))
	}
	if len(names) != 5 {
		t.Fatalf("got the units %v, want four services and a timer", names)
	}
	return dir, names
}

// verify returns what systemd says of units; it also ends with 0 after a warning, for example of an unknown key.
func verify(t *testing.T, names ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", append([]string{"verify"}, names...)...).CombinedOutput()
	if err != nil {
		return err.Error() + "\n" + string(out)
	}
	return string(out)
}

func TestUnits(t *testing.T) {
	t.Parallel()
	_, names := units(t)
	if said := verify(t, names...); said != "" {
		t.Errorf("systemd-analyze verify says\n%s", said)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".timer") {
			continue
		}
		said := tool(t, "", "systemd-analyze", "security", "--offline=true", "--threshold=25", name)
		if !regexp.MustCompile(`Overall exposure level for \S+: [012]\.\d OK`).MatchString(said) {
			t.Errorf("%s: systemd-analyze security says\n%s", name, said)
		}
	}
}

func TestUnitsAreChecked(t *testing.T) {
	t.Parallel()
	dir, _ := units(t)
	text := string(read(t, filepath.Join(dir, "readiness.service")))
	path := filepath.Join(dir, "misspelt.service")
	if err := os.WriteFile(path, []byte(strings.Replace(text, "ProtectSystem=", "ProtectSystm=", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if said := verify(t, path); !strings.Contains(said, "ProtectSystm") {
		t.Errorf("of a misspelt key systemd-analyze says %q", said)
	}
}

// Every setting of the units, of compose and of Kustomize is a variable of readinessd.
func TestSettingsExist(t *testing.T) {
	t.Parallel()
	known := string(read(t, "../../docs/configuration.md"))
	// Compose itself reads these.
	own := map[string]bool{"READINESS_IMAGE": true, "READINESS_WORKSPACES": true}
	for _, file := range []string{"../systemd/readiness.env", "../systemd/collect.env", "../compose/compose.yaml", "../compose/nats.yaml", "../compose/secrets.env.example",
		"../compose/worker.env.example", "../compose/collector.env.example", "../kustomize/collect/collector.yaml", "../kustomize/collect/secret.yaml", "../kustomize/settings.yaml", "../kustomize/secret.yaml"} {
		for _, name := range regexp.MustCompile(`READINESS_[A-Z_]+`).FindAllString(string(read(t, file)), -1) {
			if !own[name] && !strings.Contains(known, "`"+name+"`") {
				t.Errorf("%s: there is no variable %s", file, name)
			}
		}
	}
}
