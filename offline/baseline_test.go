package offline_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/offline"
)

// baseline returns the assessment of a folder as a baseline.
func baseline(t testing.TB, root string) *offline.Baseline {
	t.Helper()
	file := filepath.Join(t.TempDir(), "baseline.json")
	text := written(t, func(b *bytes.Buffer) error { return offline.WriteJSON(b, assess(t, offline.AssessOptions{}, root)) })
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := offline.ReadBaseline(file)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Only new findings are reported: not those that only moved, but another rule about the same object, another object or
// another model.
func TestBaseline(t *testing.T) {
	t.Parallel()
	const sales = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	root := files(t, shop)
	b := baseline(t, root)
	for name, tt := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing new":       {shop, nil},
		"lines moved":       {with(shop, sales, "\n\n\n"+shop[sales]), nil},
		"something mended":  {with(shop, sales, strings.Replace(shop[sales], "summarizeBy: sum", "summarizeBy: none", 1)), nil},
		"a column":          {with(shop, sales, shop[sales]+"\n\tcolumn Channel\n\t\tdataType: string\n\t\tsummarizeBy: none\n"), []string{"DSC-02 Sales|Channel", "DSC-04 Sales|Channel", "DSC-05 Sales|Channel", "DSC-06 Sales|Channel"}},
		"another rule":      {with(shop, sales, strings.Replace(shop[sales], "\t\tformatString: #,0\n", "", 1)), []string{"MEA-03 Sales|Net Sales"}},
		"in another folder": {map[string]string{"x/Shop.SemanticModel/definition/tables/Sales.tmdl": "table Sales\n\tcolumn Amount\n\t\tdataType: string\n\t\tsummarizeBy: none\n"}, []string{"DSC-01 Sales|"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := assess(t, offline.AssessOptions{Baseline: b}, files(t, tt.files))
			got := reported(a)
			for _, one := range tt.want {
				if !slices.Contains(got, one) {
					t.Errorf("%s is not reported; got %q", one, got)
				}
			}
			if name != "in another folder" && len(got) != len(tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if name == "nothing new" && a.Items[0].Known != len(a.Items[0].Result.Findings) {
				t.Errorf("got %d known, want %d", a.Items[0].Known, len(a.Items[0].Result.Findings))
			}
		})
	}
}

// A known finding is reported again if it breaks another rule of its dimension.
func TestAnotherRuleOfAKnownFinding(t *testing.T) {
	t.Parallel()
	const sales = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	unformatted := strings.Replace(shop[sales], "\t\tformatString: #,0\n", "", 1)
	b := baseline(t, files(t, with(shop, sales, unformatted)))
	repeated := unformatted + "\n\tmeasure 'All Sales' = SUM(Sales[Amount])\n\t\tformatString: #,0\n"
	got := reported(assess(t, offline.AssessOptions{Baseline: b}, files(t, with(shop, sales, repeated))))
	if !slices.Contains(got, "MEA-05 Sales|Net Sales") || !slices.Contains(got, "MEA-03 Sales|Net Sales") {
		t.Errorf("got %q", got)
	}
}

func TestBaselinesWithFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, err string }{
		"no JSON":        {"{", "cannot be read"},
		"another JSON":   {`{"version":"2.1.0","runs":[]}`, `has the format "", not "readiness-assessment/1"; create it with assess --format json --output `},
		"a later one":    {`{"format":"readiness-assessment/2"}`, "readiness-assessment/2"},
		"no file at all": {"", "no baseline"},
	} {
		file := filepath.Join(t.TempDir(), "b.json")
		if tt.text != "" {
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := offline.ReadBaseline(file); err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got error %v, want %q", name, err, tt.err)
		}
	}
}
