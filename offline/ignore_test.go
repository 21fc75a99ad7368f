package offline_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/domain/readiness/ownrules"
	"readiness/offline"
)

// ignores reads an ignore file with a text.
func ignores(t testing.TB, text string, own ...string) (*offline.Ignores, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ignore.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return offline.ReadIgnores(file, own...)
}

func TestIgnoreFilesWithFaults(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ text, err string }{
		"unknown rule":    {"ignore:\n  - reason: r\n    rule: DSC-99\n", `ignore.yaml:3:11: there is no rule "DSC-99"; the closest is DSC-0`},
		"lower case":      {"ignore:\n  - {rule: dsc-01, reason: r}\n", `:2:12: there is no rule "dsc-01"; the closest is DSC-01`},
		"no rule":         {"ignore:\n  - table: T\n    reason: r\n", ":2:5: the rule is missing"},
		"no reason":       {"ignore:\n  - rule: DSC-01\n    table: T\n", ":2:5: the reason is missing"},
		"blank reason":    {"ignore:\n  - {rule: DSC-01, reason: ' '}\n", ":2:6: the reason is missing"},
		"unknown member":  {"ignore:\n  - rule: DSC-01\n    tabel: T\n    reason: r\n", ":3:5: unknown member tabel; the members are rule, model, table, object and reason"},
		"another member":  {"ignored: []\n", ":1:1: unknown member ignored; the only one is ignore"},
		"twice":           {"ignore:\n  - rule: DSC-01\n    rule: DSC-02\n    reason: r\n", "rule"},
		"a list":          {"- rule: DSC-01\n", ":1:1: must be a mapping with the member ignore"},
		"no list":         {"ignore: DSC-01\n", ":1:1: ignore must be a list"},
		"not text":        {"ignore:\n  - rule: [DSC-01]\n    reason: r\n", ":2:5: rule must be text"},
		"everything":      {"ignore:\n  - rule: '*'\n    reason: r\n", ":2:5: this entry would ignore everything"},
		"a text as entry": {"ignore:\n  - DSC-01\n", ":2:5: must be a mapping with the members rule and reason"},
		"no YAML":         {"ignore: [\n", "is not YAML"},
	} {
		if _, err := ignores(t, tt.text); err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got error %v, want %q", name, err, tt.err)
		}
	}
	for _, text := range []string{"", "# none yet\n", "ignore: []\n", "---\nignore:\n  - rule: DSC-01\n    table: 2024\n    reason: |\n      more\n      than a line\n"} {
		if _, err := ignores(t, text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := offline.ReadIgnores(filepath.Join(t.TempDir(), "none.yaml")); err == nil || !strings.Contains(err.Error(), "the ignore file") {
		t.Errorf("a missing file: %v", err)
	}
}

// Exactly what an entry names is ignored. The score excludes it, and each entry without effect is reported with its
// line.
func TestIgnores(t *testing.T) {
	t.Parallel()
	root := files(t, shop)
	before := reported(assess(t, offline.AssessOptions{}, root))
	for name, tt := range map[string]struct {
		entry    string
		gone     []string
		warnings []string
	}{
		"a rule of an object":        {"{rule: DSC-02, table: Sales, object: Amount, reason: r}", []string{"DSC-02 Sales|Amount"}, nil},
		"in any letter case":         {"{rule: DSC-02, table: SALES, object: amount, model: shop, reason: r}", []string{"DSC-02 Sales|Amount"}, nil},
		"a rule of a table":          {"{rule: DSC-02, table: Sales, reason: r}", []string{"DSC-02 Sales|Amount"}, nil},
		"a rule":                     {"{rule: DSC-02, reason: r}", []string{"DSC-02 Products|Label", "DSC-02 Sales|Amount"}, nil},
		"every rule of an object":    {"{rule: '*', table: Products, object: '', reason: r}", []string{"DSC-01 Products|", "TYP-07 Products|"}, nil},
		"a rule of the model itself": {"{rule: INS-01, object: '#', reason: r}", []string{"INS-01 |#INSTRUCTIONS"}, nil},
		"the model by the rule":      {"{rule: INS-01, object: '#INS-01', reason: r}", []string{"INS-01 |#INSTRUCTIONS"}, nil},
		"the missing instructions":   {"{rule: INS-01, object: '#instructions', reason: r}", []string{"INS-01 |#INSTRUCTIONS"}, nil},
		"all that is missing":        {"{rule: '*', object: '#INSTRUCTIONS', reason: r}", []string{"INS-01 |#INSTRUCTIONS", "INS-02 |#INSTRUCTIONS", "INS-03 |#INSTRUCTIONS", "INS-04 |#INSTRUCTIONS"}, nil},
		"a rule of another name":     {"{rule: INS-01, object: '#INS-02', reason: r}", nil, []string{`:2: rule INS-01 no longer finds anything there`}},
		"the model by its path":      {"{rule: INS-07, model: Shop.SemanticModel, reason: r}", []string{"INS-07 |#INS-07"}, nil},
		"another model":              {"{rule: DSC-02, model: Store, reason: r}", nil, []string{`:2: there is no model "Store"`}},
		"another table":              {"{rule: DSC-02, table: Stores, reason: r}", nil, []string{`:2: no model has a table "Stores"`}},
		"another object":             {"{rule: DSC-02, table: Sales, object: Price, reason: r}", nil, []string{`:2: no model has an object "Price" there`}},
		"what is in order":           {"{rule: DSC-01, table: Sales, reason: r}", nil, []string{`:2: rule DSC-01 no longer finds anything there`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read, err := ignores(t, "ignore:\n  - "+tt.entry+"\n")
			if err != nil {
				t.Fatal(err)
			}
			a := assess(t, offline.AssessOptions{Ignores: read}, root)
			want := slices.DeleteFunc(slices.Clone(before), func(one string) bool { return slices.Contains(tt.gone, one) })
			if diff := cmp.Diff(want, reported(a)); diff != "" {
				t.Errorf("reported (-want +got):\n%s", diff)
			}
			var ignored []string
			for _, f := range a.Items[0].Ignored {
				for _, rule := range f.RuleIDs {
					ignored = append(ignored, rule+" "+f.Table+"|"+f.ObjectName)
				}
				if f.Reason != "r" || f.Impact != 0 || f.Line < 1 || f.File == "" {
					t.Errorf("ignored: %+v", f)
				}
			}
			slices.Sort(ignored)
			if diff := cmp.Diff(tt.gone, ignored); diff != "" {
				t.Errorf("ignored (-want +got):\n%s", diff)
			}
			if len(a.Warnings) != len(tt.warnings) || len(tt.warnings) > 0 && !strings.Contains(a.Warnings[0].String(), "ignore.yaml"+tt.warnings[0]) {
				t.Errorf("got warnings %v, want %q", a.Warnings, tt.warnings)
			}
		})
	}
}

// While a model cannot be read, no entry is reported as unused.
func TestNoWarningWhileAModelCannotBeRead(t *testing.T) {
	t.Parallel()
	read, err := ignores(t, "ignore:\n  - {rule: DSC-02, table: Elsewhere, reason: r}\n")
	if err != nil {
		t.Fatal(err)
	}
	a := assess(t, offline.AssessOptions{Ignores: read}, files(t, with(shop, "B.SemanticModel/definition/model.tmdl", "<")))
	if len(a.Warnings) != 0 {
		t.Errorf("got %v", a.Warnings)
	}
}

// A model accepts findings in annotations, in TMDL and TMSL, only for the object with the annotation, which may be a relationship.
func TestAnnotations(t *testing.T) {
	t.Parallel()
	const tables = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	inTMDL := with(shop,
		tables, strings.Replace(shop[tables], "\t\tdataType: double\n\t\tsummarizeBy: sum\n", "\t\tdataType: double\n\t\tsummarizeBy: sum\n\n\t\tannotation readiness.ignore = DSC-02, TYP-99: nobody asks\n", 1)+
			"\n\tannotation readiness.ignore = DSC-02\n",
		"Shop.SemanticModel/definition/model.tmdl", "model Model\n\tculture: en-US\n\n\tannotation readiness.ignore = INS-07: no verified answers here\n",
		"Shop.SemanticModel/definition/relationships.tmdl", "relationship r1\n\tfromColumn: Sales.Amount\n\ttoColumn: Gone.Amount\n\n\tannotation readiness.ignore = REL-08: to come\n",
	)
	inTMSL := map[string]string{"Shop.SemanticModel/model.bim": `{"model":{"annotations":[{"name":"readiness.ignore","value":"INS-07: no verified answers here"}],
"tables":[{"name":"Sales","annotations":[{"name":"readiness.ignore","value":["DSC-01:","why"]}],"columns":[
{"name":"Amount","dataType":"double","summarizeBy":"sum","annotations":[{"name":"readiness.ignore","value":"DSC-02: nobody asks"}]}]}],
"relationships":[{"name":"r1","fromTable":"Sales","fromColumn":"Amount","toTable":"Gone","toColumn":"a","annotations":[{"name":"readiness.ignore","value":"REL-08: to come"}]}]}}`}
	for name, tt := range map[string]struct {
		files    map[string]string
		ignored  []string
		warnings []string
	}{
		"TMDL": {inTMDL, []string{"DSC-02 Sales|Amount: nobody asks", "INS-07 |#INS-07: no verified answers here",
			"REL-08 Sales|Sales[Amount] -> Gone[Amount]: to come"}, []string{
			"Shop.SemanticModel/definition/relationships.tmdl:3:2: the property toColumn of the relationship 'r1' names Gone.Amount",
			"Shop.SemanticModel/definition/tables/Sales.tmdl:2: annotation readiness.ignore: the reason is missing",
			`Shop.SemanticModel/definition/tables/Sales.tmdl:7: annotation readiness.ignore: there is no rule "TYP-99"`,
		}},
		"TMSL": {inTMSL, []string{"DSC-01 Sales|: why", "DSC-02 Sales|Amount: nobody asks", "INS-07 |#INS-07: no verified answers here",
			"REL-08 Sales|Sales[Amount] -> Gone[a]: to come"}, []string{
			"Shop.SemanticModel/model.bim:4:101: the property toColumn of the relationship 'r1' names Gone.a",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := assess(t, offline.AssessOptions{}, files(t, tt.files))
			var ignored []string
			for _, f := range a.Items[0].Ignored {
				ignored = append(ignored, strings.Join(f.RuleIDs, " ")+" "+f.Table+"|"+f.ObjectName+": "+f.Reason)
			}
			slices.Sort(ignored)
			if diff := cmp.Diff(tt.ignored, ignored); diff != "" {
				t.Errorf("ignored (-want +got):\n%s", diff)
			}
			var warnings []string
			for _, w := range a.Warnings {
				warnings = append(warnings, w.String())
			}
			if !slices.EqualFunc(warnings, tt.warnings, strings.HasPrefix) {
				t.Errorf("got warnings %q, want %q", warnings, tt.warnings)
			}
			for _, one := range reported(a) {
				if one == "DSC-02 Sales|Amount" || one == "INS-07 |#INS-07" {
					t.Errorf("%s is reported", one)
				}
			}
		})
	}
}

// A partition that is called as a column of its table is another object, which has the table's place and can be accepted by itself; so has
// a perspective a name of its own.
func TestIgnoredPartition(t *testing.T) {
	t.Parallel()
	var rules []ownrules.Definition
	for n, scope := range []string{"column", "partition", "perspective"} {
		rules = append(rules, ownrules.Definition{OwnRule: readiness.OwnRule{ID: fmt.Sprintf("CON-0%d", n+1), Title: "Wrong", Severity: finding.High,
			Effort: "minutes", Dimension: "naming", Weight: 1}, Scope: scope, When: scope + `.name == "Amount"`, Message: "mend it"})
	}
	set, problems := ownrules.Compile(rules, readiness.Current())
	if problems != nil {
		t.Fatal(problems)
	}
	regime, err := readiness.Current().WithOwn("team", set)
	if err != nil {
		t.Fatal(err)
	}
	g, err := ignores(t, "ignore:\n- {rule: CON-02, table: Sales, object: 'partition=\"Amount\"', reason: agreed}\n"+
		"- {rule: CON-03, object: 'perspective=\"Amount\"', reason: agreed}\n", offline.OwnRules(regime)...)
	if err != nil {
		t.Fatal(err)
	}
	const tables = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	a := assess(t, offline.AssessOptions{Regime: regime, Ignores: g}, files(t, with(shop, tables,
		shop[tables]+"\n\tpartition Amount = m\n\t\tmode: import\n\t\tsource = 1\n",
		"Shop.SemanticModel/definition/perspectives/Amount.tmdl", "perspective Amount\n")))
	if one := a.Items[0].Ignored; len(one) != 2 || one[1].File != tables || one[1].Line != 2 || len(a.Warnings) > 0 {
		t.Errorf("ignored %+v, warnings %v", one, a.Warnings)
	}
	if got := reported(a); !slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "CON-01") && strings.HasSuffix(s, "Sales|Amount") }) {
		t.Errorf("reported %q", got)
	}
}
