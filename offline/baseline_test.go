package offline_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
	"readiness/offline/report"
)

// baseline returns the assessment of a folder as a baseline.
func baseline(t testing.TB, root string) *offline.Baseline {
	t.Helper()
	return baselineBy(t, nil, root)
}

func baselineBy(t testing.TB, regime *readiness.Regime, root string) *offline.Baseline {
	t.Helper()
	file := filepath.Join(t.TempDir(), "baseline.json")
	text := written(t, func(b *bytes.Buffer) error {
		return offline.WriteJSON(b, assess(t, offline.AssessOptions{Regime: regime}, root))
	})
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
		"a column":          {with(shop, sales, shop[sales]+"\n\tcolumn Channel\n\t\tdataType: string\n\t\tsummarizeBy: none\n"), []string{"DSC-02 Sales|Channel"}},
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

// A report shows the scores before and after, and which findings are new, fixed and unchanged. An ignored finding and one
// below the reported severity are not fixed.
func TestSinceTheBaseline(t *testing.T) {
	t.Parallel()
	const sales, products = "Shop.SemanticModel/definition/tables/Sales.tmdl", "Shop.SemanticModel/definition/tables/Products.tmdl"
	before := assess(t, offline.AssessOptions{}, files(t, shop))
	b := baseline(t, files(t, shop))
	mended := strings.Replace(shop[sales], "summarizeBy: sum", "summarizeBy: none", 2)
	ignoring, err := ignores(t, "ignore:\n  - {rule: '*', table: Products, object: Label, reason: r}\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		o      offline.AssessOptions
		files  map[string]string
		fixed  []string
		absent string // is neither fixed nor unchanged
	}{
		"nothing changed": {offline.AssessOptions{}, shop, nil, ""},
		"a sum":           {offline.AssessOptions{}, with(shop, sales, mended), []string{"Sales|Product Key"}, ""},
		"ignored":         {offline.AssessOptions{Ignores: ignoring}, shop, nil, "Products|Label"},
		"only severe":     {offline.AssessOptions{MinSeverity: finding.High}, with(shop, sales, mended), nil, "Products|Label"},
		"a column gone":   {offline.AssessOptions{}, with(shop, products, strings.Split(shop[products], "\n\tcolumn Label")[0]), []string{"Products|Label"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.o.Baseline = b
			a := assess(t, tt.o, files(t, tt.files))
			s := a.Items[0].Since
			if s == nil || !s.Found || !s.Comparable || *s.Score != *before.Items[0].Result.Score || *s.ScoreDataAgent != *before.Items[0].ScoreDataAgent {
				t.Fatalf("got %+v", s)
			}
			var fixed []string
			for _, f := range s.Fixed {
				if name := f.Table + "|" + f.ObjectName; !slices.Contains(fixed, name) && f.ObjectName != "" && !strings.HasPrefix(f.ObjectName, "#") {
					fixed = append(fixed, name)
				}
			}
			slices.Sort(fixed)
			if !slices.Equal(fixed, tt.fixed) {
				t.Errorf("got %q fixed, want %q", fixed, tt.fixed)
			}
			for _, f := range append(slices.Clone(s.Fixed), s.Unchanged...) {
				if f.Table+"|"+f.ObjectName == tt.absent {
					t.Errorf("%s is fixed or unchanged", tt.absent)
				}
			}
			if len(s.Unchanged) != a.Items[0].Known || name == "nothing changed" && len(s.Unchanged) != len(before.Items[0].Findings) {
				t.Errorf("got %d unchanged, %d known of %d", len(s.Unchanged), a.Items[0].Known, len(before.Items[0].Findings))
			}
		})
	}
}

// A model that was renamed or moved, and perhaps changed a little, is compared with what it was, unless that is still there or it is
// another model.
func TestBaselineOfRenamedModel(t *testing.T) {
	t.Parallel()
	const sales = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	b := baseline(t, files(t, shop))
	under := func(folder string, byPath map[string]string) map[string]string {
		all := map[string]string{}
		for name, text := range byPath {
			all[strings.Replace(name, "Shop.SemanticModel", folder, 1)] = text
		}
		return all
	}
	both := under("Store.SemanticModel", shop)
	maps.Copy(both, shop)
	for name, tt := range map[string]struct {
		files map[string]string
		was   string
		new   []string
	}{
		"renamed":               {under("Store.SemanticModel", shop), "Shop.SemanticModel", nil},
		"moved":                 {under("a/b/Shop.SemanticModel", shop), "Shop.SemanticModel", nil},
		"renamed and changed":   {under("Store.SemanticModel", with(shop, sales, strings.Replace(shop[sales], "\t\tformatString: #,0\n", "", 1))), "Shop.SemanticModel", []string{"MEA-03 Sales|Net Sales"}},
		"a copy":                {both, "", nil},
		"another model instead": {map[string]string{"Store.SemanticModel/definition/tables/Other.tmdl": "table Other\n\tcolumn X\n\t\tdataType: string\n"}, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := assess(t, offline.AssessOptions{Baseline: b}, files(t, tt.files))
			last := a.Items[len(a.Items)-1]
			if last.Since == nil || last.Since.Was != tt.was || last.Since.Found != (tt.was != "") {
				t.Fatalf("got %+v", last.Since)
			}
			var table strings.Builder
			if err := report.WriteTable(&table, a, report.Screen{Width: 120}); err != nil {
				t.Fatal(err)
			}
			if tt.was == "" {
				if len(last.Findings) == 0 || last.Known > 0 {
					t.Errorf("%d new findings, %d known", len(last.Findings), last.Known)
				}
				return
			}
			if got := reported(a); !slices.Equal(got, tt.new) || last.Known == 0 || len(a.Warnings) > 0 {
				t.Errorf("got new %q, want %q; %d known, warnings %v", got, tt.new, last.Known, a.Warnings)
			}
			if want := "Since the baseline, where it was " + tt.was + ": "; !strings.Contains(table.String(), want) {
				t.Errorf("the table lacks %q:\n%s", want, table.String())
			}
		})
	}
}

// Every format shows the comparison. The JSON of a comparison is a baseline that contains the new and the unchanged findings.
func TestFormatsOfAComparison(t *testing.T) {
	t.Parallel()
	const sales = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	changed := strings.Replace(strings.Replace(shop[sales], "\t\tformatString: #,0\n", "", 1), "summarizeBy: sum", "summarizeBy: none", 2)
	root := files(t, with(shop, sales, changed, "New.SemanticModel/definition/model.tmdl", "model Model\n"))
	a := assess(t, offline.AssessOptions{Baseline: baselineBy(t, readiness.Current(), files(t, shop))}, root)
	a.Baseline = "baseline.json"
	var json []byte
	for name, write := range formats {
		if name == "sarif" || name == "junit.xml" || name == "csv" {
			continue
		}
		got := written(t, func(b *bytes.Buffer) error { return write(b, a) })
		golden(t, "compared."+name, got)
		if name == "json" {
			json = got
		}
	}
	b, err := offline.ReadBaseline(fileOf(t, json))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range assess(t, offline.AssessOptions{Baseline: b}, root).Items {
		if len(i.Findings) != 0 || i.Known == 0 || len(i.Since.Fixed) != 0 {
			t.Errorf("%s: %d new, %d known, %d fixed, want all known", i.Path, len(i.Findings), i.Known, len(i.Since.Fixed))
		}
	}
}

// Scores and fixed findings of another regime are not compared, and an item that the baseline lacks has only new findings.
func TestWhatIsNotCompared(t *testing.T) {
	t.Parallel()
	root := files(t, with(shop, "New.SemanticModel/definition/model.tmdl", "model Model\n"))
	earlier := baseline(t, files(t, shop))
	earlier.Regime = "2026-12"
	a := assess(t, offline.AssessOptions{Baseline: earlier}, root)
	before, after := a.Items[1].Since, a.Items[0].Since
	if before == nil || before.Comparable || before.Score != nil || before.Fixed != nil || a.Items[1].Known == 0 {
		t.Errorf("another regime: got %+v", before)
	}
	if after == nil || after.Found || after.Score != nil || len(a.Items[0].Findings) == 0 {
		t.Errorf("another item: got %+v", after)
	}
	if alone := assess(t, offline.AssessOptions{}, root).Items[0].Since; alone != nil {
		t.Errorf("without a baseline: got %+v", alone)
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
