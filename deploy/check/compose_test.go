package check_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// compose loads a compose file as docker compose does, with the schema of the specification and its rules.
func compose(ctx context.Context, file string) (*types.Project, error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithProfiles([]string{"*"}), cli.WithResolvedPaths(true))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(ctx)
}

// composed returns a copy of deploy with the secrets in place.
func composed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range []string{"compose", "prometheus", "grafana"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS("../"+part)); err != nil {
			t.Fatal(err)
		}
	}
	example := read(t, "../compose/secrets.env.example")
	if err := os.WriteFile(filepath.Join(dir, "compose", "secrets.env"), example, 0o600); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "compose", "compose.yaml")
}

// The compose file follows the specification, has the parts that docs/operating.md names, and mounts only files that exist. Only the
// service and Grafana can be reached, from this machine alone, and not their metrics.
func TestCompose(t *testing.T) {
	t.Parallel()
	p, err := compose(t.Context(), composed(t))
	if err != nil {
		t.Fatal(err)
	}
	for name, replicas := range map[string]int{"postgres": 1, "migrate": 1, "api": 2, "worker": 2, "proxy": 1, "prometheus": 1, "grafana": 1} {
		s, err := p.GetService(name)
		if err != nil || s.GetScale() != replicas {
			t.Errorf("%s: %d of it, %v, want %d", name, s.GetScale(), err, replicas)
		}
	}
	if s := p.Services["postgres"]; s.Image != "postgres:17" {
		t.Errorf("PostgreSQL is %s", s.Image)
	}
	for name, s := range p.Services {
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" || port.Target == 9090 {
				t.Errorf("%s opens port %d on %q", name, port.Target, port.HostIP)
			}
		}
		for _, v := range s.Volumes {
			if _, err := os.Stat(v.Source); v.Type == types.VolumeTypeBind && err != nil && filepath.Base(v.Source) != "workspaces" {
				t.Errorf("%s mounts %s: %v", name, v.Source, err)
			}
		}
		if name == "api" || name == "worker" || name == "migrate" {
			url := s.Environment["READINESS_DATABASE_URL"]
			if url == nil || !s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") {
				t.Errorf("%s has no database (%v), or may write or do more than it needs", name, url)
			}
		}
	}
	for _, name := range []string{"api", "worker"} {
		if on := p.Services[name].DependsOn["migrate"]; on.Condition != types.ServiceConditionCompletedSuccessfully {
			t.Errorf("%s starts when migrate is %q", name, on.Condition)
		}
	}
}

// A file that does not follow the specification is refused, so the test above means something.
func TestComposeIsChecked(t *testing.T) {
	t.Parallel()
	good := string(read(t, "../compose/compose.yaml"))
	for what, change := range map[string][2]string{
		"an unknown member":  {"read_only: true", "readonly: true"},
		"another type":       {"replicas: 2", "replicas: two"},
		"a missing network":  {"networks: [inside, outside]", "networks: [inside, beyond]"},
		"a missing service":  {"depends_on: [api]", "depends_on: [apis]"},
		"a wrong condition":  {"condition: service_healthy", "condition: healthy"},
		"a missing variable": {"secrets.env", "secret.env"},
	} {
		file := composed(t)
		bad := strings.ReplaceAll(good, change[0], change[1])
		if bad == good {
			t.Fatalf("%s: the file does not contain %q", what, change[0])
		}
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := compose(t.Context(), file); err == nil {
			t.Errorf("%s is accepted", what)
		}
	}
}

// Grafana finds the dashboard and asks the data source that is provisioned.
func TestGrafanaIsProvisioned(t *testing.T) {
	t.Parallel()
	for file, parts := range map[string][]string{
		"datasources/prometheus.yaml": {"type: prometheus", "url: http://prometheus:9090"}, "dashboards/readiness.yaml": {"path: /var/lib/grafana/dashboards"},
	} {
		text := string(read(t, "../grafana/provisioning/"+file))
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q", file, part)
			}
		}
	}
	if !json.Valid(read(t, "../grafana/readiness.json")) {
		t.Error("the dashboard is no JSON")
	}
}
