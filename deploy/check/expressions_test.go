package check_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"
)

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tool runs a program that must succeed and returns what it prints.
func tool(t *testing.T, stdin, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// registered are the metrics of the service.
func registered(t *testing.T) []string { return strings.Fields(string(read(t, "../metrics.txt"))) }

// foreign are the metrics of others that expressions may use.
var foreign = []string{"up", "process_resident_memory_bytes", "go_goroutines"}

// unknown returns the metrics of an expression that are not among the known, and the error of an expression that cannot be parsed.
func unknown(expr string, known []string) (metrics []string, err error) {
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		return nil, err
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		s, is := node.(*parser.VectorSelector)
		if !is {
			return nil
		}
		base := s.Name
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			if whole, cut := strings.CutSuffix(base, part); cut && slices.Contains(known, whole) {
				base = whole
			}
		}
		if !slices.Contains(known, base) && !slices.Contains(foreign, base) {
			metrics = append(metrics, s.Name)
		}
		return nil
	})
	return metrics, nil
}

func TestUnknown(t *testing.T) {
	t.Parallel()
	known := []string{"a_seconds", "b_total"}
	for expr, want := range map[string]string{
		"sum(rate(b_total[5m])) > 1": "", "histogram_quantile(0.9, sum by (le) (rate(a_seconds_bucket[5m])))": "", "up == 0": "",
		"rate(b[5m])": "b", "a_seconds / c_total": "c_total", "b_total_bucket": "", "c_bucket": "c_bucket", "absent(d)": "d", "e_seconds_count": "e_seconds_count",
	} {
		got, err := unknown(expr, known)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, %v, want %q", expr, got, err, want)
		}
	}
	for _, expr := range []string{"sum(rate(b_total[5m])", "rate(b_total)", "b_total{", "b_total > ", ""} {
		if _, err := unknown(expr, known); err == nil {
			t.Errorf("%q was parsed", expr)
		}
	}
}

// rule is an alert of rules.yml.
type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	var file struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []rule `json:"rules"`
		} `json:"groups"`
	}
	if err := yaml.UnmarshalStrict(read(t, "../prometheus/rules.yml"), &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("there are no alerts")
	}
	return all
}

// anchor returns the anchor of a heading as GitHub makes it.
func anchor(heading string) string {
	heading = strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
	heading = regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(heading, "")
	return strings.ReplaceAll(heading, " ", "-")
}

// Each alert uses metrics of the service, links to a section of the runbook, has a unit test, and says how urgent it is; each section of
// the runbook has an alert.
func TestAlerts(t *testing.T) {
	t.Parallel()
	known, tests := registered(t), string(read(t, "../prometheus/rules_test.yml"))
	headings, runbook := map[string]bool{}, map[string]bool{}
	inRunbook := false
	for line := range strings.Lines(string(read(t, "../../docs/operating.md"))) {
		if strings.HasPrefix(line, "## ") {
			inRunbook = strings.TrimSpace(line) == "## When an alert fires"
		}
		if strings.HasPrefix(line, "#") {
			headings[anchor(line)] = true
			if inRunbook && strings.HasPrefix(line, "### ") {
				runbook[anchor(line)] = false
			}
		}
	}
	for _, r := range rules(t) {
		if metrics, err := unknown(r.Expr, known); err != nil || len(metrics) > 0 {
			t.Errorf("%s: the service has no metric %q, %v", r.Alert, metrics, err)
		}
		page, section, _ := strings.Cut(r.Annotations["runbook_url"], "#")
		if page != "docs/operating.md" || !headings[section] {
			t.Errorf("%s: its runbook %q is no section of docs/operating.md", r.Alert, r.Annotations["runbook_url"])
		}
		runbook[section] = true
		if s := r.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s: its severity is %q", r.Alert, s)
		}
		if r.Annotations["summary"] == "" {
			t.Errorf("%s has no summary", r.Alert)
		}
		fires := regexp.MustCompile(`alertname: ` + r.Alert + `\n\s+exp_alerts:\n`).MatchString(tests)
		if quiet := strings.Contains(tests, "alertname: "+r.Alert+"\n        exp_alerts: []"); !fires || !quiet {
			t.Errorf("%s: no test where it fires (%t), or none where it does not (%t)", r.Alert, fires, quiet)
		}
	}
	for section, has := range runbook {
		if !has {
			t.Errorf("the section %q of the runbook has no alert", section)
		}
	}
}

func TestRulesByPromtool(t *testing.T) {
	t.Parallel()
	tool(t, "", "promtool", "check", "rules", "--lint=all", "--lint-fatal", "../prometheus/rules.yml")
	tool(t, "", "promtool", "test", "rules", "../prometheus/rules_test.yml")
	tool(t, "", "promtool", "check", "config", "../prometheus/prometheus.yml")
}

// Grafana's variables, as an expression that is asked has them.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$instance", ".*")

// Every expression of the dashboard can be parsed, uses metrics that the service has, and names only variables that the dashboard has.
// Every metric of the service is on the dashboard.
func TestDashboard(t *testing.T) {
	t.Parallel()
	type panel struct {
		ID      int    `json:"id"`
		Title   string `json:"title"`
		Type    string `json:"type"`
		GridPos struct{ H, W, X, Y int }
		Targets []struct {
			Expr string `json:"expr"`
		} `json:"targets"`
	}
	var dashboard struct {
		UID    string  `json:"uid"`
		Panels []panel `json:"panels"`
	}
	text := read(t, "../grafana/readiness.json")
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	known, used, ids := registered(t), "", map[int]bool{}
	for i, p := range dashboard.Panels {
		if ids[p.ID] || p.Title == "" || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %d (%s): its id %d is taken, or it has no title, or it is too wide", i, p.Title, p.ID)
		}
		ids[p.ID] = true
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			expr := variables.Replace(target.Expr)
			if strings.Contains(expr, "$") {
				t.Errorf("%s: %s has an unknown variable", p.Title, expr)
			}
			if metrics, err := unknown(expr, known); err != nil || len(metrics) > 0 {
				t.Errorf("%s: %s: the service has no metric %q, %v", p.Title, expr, metrics, err)
			}
			used += expr + "\n"
		}
	}
	for _, name := range known {
		if !strings.Contains(used, name) {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}
