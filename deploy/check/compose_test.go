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

// compose loads compose files as docker compose does, with the schema of the specification and its rules.
func compose(ctx context.Context, files ...string) (*types.Project, error) {
	options, err := cli.NewProjectOptions(files, cli.WithProfiles([]string{"*"}), cli.WithResolvedPaths(true))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(ctx)
}

// composed returns a copy of deploy with the secrets in place.
func composed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, part := range []string{"compose", "prometheus", "grafana", "nats"} {
		if err := os.CopyFS(filepath.Join(dir, part), os.DirFS("../"+part)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"secrets", "nats", "worker", "collector"} {
		example := read(t, "../compose/"+name+".env.example")
		if err := os.WriteFile(filepath.Join(dir, "compose", name+".env"), example, 0o600); err != nil {
			t.Fatal(err)
		}
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

// With nats.yaml there are collectors, which have neither the database's address nor a key, and a worker that counts. Their passwords are
// those of the servers' users, and only collectors and the proxy see strangers.
func TestComposeCollects(t *testing.T) {
	t.Parallel()
	file := composed(t)
	p, err := compose(t.Context(), file, filepath.Join(filepath.Dir(file), "nats.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	collector, worker, nats := p.Services["collector"], p.Services["worker"], p.Services["nats"]
	if collector.GetScale() != 2 || !collector.ReadOnly || !slices.Contains(collector.CapDrop, "ALL") || len(collector.Volumes) > 0 || len(collector.Ports) > 0 {
		t.Errorf("the collector: %+v", collector)
	}
	for name := range collector.Environment {
		if strings.Contains(name, "DATABASE") || strings.Contains(name, "PASSWORD") || name == "READINESS_COLLECT_SYSTEM" {
			t.Errorf("the collector has %s", name)
		}
	}
	for variable, user := range map[*string]string{collector.Environment["READINESS_COLLECT"]: "collector", worker.Environment["READINESS_COLLECT"]: "service",
		worker.Environment["READINESS_COLLECT_SYSTEM"]: "system"} {
		password := nats.Environment["NATS_"+strings.ToUpper(user)+"_PASSWORD"]
		if variable == nil || password == nil || *variable != "nats://"+user+":"+*password+"@nats:4222" {
			t.Errorf("%s reaches NATS at %v", user, variable)
		}
	}
	if url := worker.Environment["READINESS_DATABASE_URL"]; url == nil || *worker.Environment["READINESS_COLLECT_REPLICAS"] != "1" {
		t.Errorf("the worker's database is %v", url)
	}
	if len(nats.Ports) > 0 || !nats.ReadOnly {
		t.Errorf("NATS: %+v", nats)
	}
	for name, s := range p.Services {
		for _, v := range s.Volumes {
			if _, err := os.Stat(v.Source); v.Type == types.VolumeTypeBind && err != nil && filepath.Base(v.Source) != "workspaces" {
				t.Errorf("%s mounts %s: %v", name, v.Source, err)
			}
		}
	}
	if proxy := p.Services["proxy"]; !slices.Equal(proxy.Command, []string{"caddy", "run", "--config", "/etc/caddy/Caddyfile"}) ||
		len(proxy.Configs) != 1 || proxy.Configs[0].Target != proxy.Command[3] || !strings.Contains(p.Configs["caddyfile"].Content, "handle /p/*") {
		t.Errorf("the proxy: %+v", proxy)
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
