package offline_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/readiness/finding"
	"readiness/offline"
)

// The findings and scores of files are those of the rules.
func TestAssess(t *testing.T) {
	t.Parallel()
	root := files(t, shop)
	got := item(t, assess(t, offline.AssessOptions{}, root), "Shop.SemanticModel")
	var parts []definition.Part
	for path, text := range shop {
		parts = append(parts, definition.Part{Path: strings.TrimPrefix(path, "Shop.SemanticModel/"), Data: []byte(text)})
	}
	m, err := semanticmodel.Read(definition.New(parts...))
	if err != nil {
		t.Fatal(err)
	}
	want := readiness.Assess(m, readiness.Options{})
	if diff := cmp.Diff(want, got.Result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if agent := readiness.AssessAsAgent(m, readiness.Options{}).Score; !cmp.Equal(got.ScoreDataAgent, agent) || len(got.Findings) != len(want.Findings) || len(want.Findings) == 0 {
		t.Errorf("got %v as agent and %d findings, want %v and %d", got.ScoreDataAgent, len(got.Findings), agent, len(want.Findings))
	}
}

// The line of a finding declares its object, in TMDL and TMSL, in every sample.
func TestLines(t *testing.T) {
	t.Parallel()
	a := assess(t, offline.AssessOptions{}, samplesRoot, workspaces)
	checked := 0
	for _, i := range a.Items {
		for _, f := range i.Findings {
			text, err := os.ReadFile(samplesRoot + "/" + f.File)
			lines := strings.Split(string(text), "\n")
			if err != nil || f.Line < 1 || f.Line > len(lines) {
				t.Errorf("%s:%d is not a line: %v", f.File, f.Line, err)
				continue
			}
			name := f.ObjectName
			switch f.ObjectType {
			case finding.TableObject:
				name = f.Table
			case finding.ColumnObject, finding.MeasureObject:
			default:
				continue
			}
			// TMSL names an object one line after the object's first line.
			declaration := strings.Join(lines[f.Line-1:min(f.Line+1, len(lines))], "\n")
			if !strings.Contains(declaration, strings.ReplaceAll(name, "'", "''")) {
				t.Errorf("%s:%d does not declare %s: %s", f.File, f.Line, name, declaration)
			}
			checked++
		}
	}
	if checked < 300 {
		t.Errorf("only %d findings have objects with lines", checked)
	}
	model := item(t, a, "Retail Sales.SemanticModel")
	for _, f := range model.Findings {
		if f.Dimension == "instructions" && f.ObjectType == finding.ModelObject && !strings.HasSuffix(f.File, "Copilot/Instructions/instructions.md") {
			t.Errorf("%v is reported for %s", f.RuleIDs, f.File)
		}
	}
}

// A model that cannot be read reports the position of its error and does not affect the others.
func TestAModelThatCannotBeRead(t *testing.T) {
	t.Parallel()
	root := files(t, with(shop,
		"A.SemanticModel/definition/tables/T.tmdl", "table T\n\n\t<<<<<<< HEAD\n",
		"B.SemanticModel/model.bim", "{\n\"model\": [\n}",
		"C.SemanticModel/definition.pbism", "{}",
		"D.DataAgent/Files/Config/data_agent.json", "{}",
	))
	if err := os.Symlink("/etc/hostname", root+"/C.SemanticModel/link.tmdl"); err != nil {
		t.Fatal(err)
	}
	a := assess(t, offline.AssessOptions{}, root)
	places := map[string]string{}
	for _, i := range a.Items {
		if i.Error != nil {
			places[i.Path] = i.At.File
			if i.Result.Score != nil || i.Findings != nil || strings.Contains(i.Error.Error(), root) {
				t.Errorf("%s: %+v", i.Path, i)
			}
		}
	}
	want := map[string]string{
		"A.SemanticModel": "A.SemanticModel/definition/tables/T.tmdl", "B.SemanticModel": "B.SemanticModel/model.bim",
		"C.SemanticModel": "C.SemanticModel", "D.DataAgent": "D.DataAgent/definition/model.tmdl",
	}
	want["D.DataAgent"] = places["D.DataAgent"] // its first file may be any
	if diff := cmp.Diff(want, places); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a.Items[0].At.Line != 3 || a.Items[1].At.Line != 3 || a.Unreadable() != 4 {
		t.Errorf("got lines %d and %d, %d unreadable", a.Items[0].At.Line, a.Items[1].At.Line, a.Unreadable())
	}
	if shop := item(t, a, "Shop.SemanticModel"); shop.Error != nil || shop.Result.Score == nil {
		t.Errorf("the model next to them: %v", shop.Error)
	}
}

// The same files give the same bytes, however many are assessed at once.
func TestTheSameInEveryRun(t *testing.T) {
	t.Parallel()
	var first []byte
	for _, jobs := range []int{1, 2, 7} {
		a := assess(t, offline.AssessOptions{Jobs: jobs}, samplesRoot, workspaces)
		got := written(t, func(b *bytes.Buffer) error { return offline.WriteJSON(b, a) })
		if first == nil {
			first = got
		}
		if !bytes.Equal(first, got) {
			t.Errorf("%d at once give another report than one", jobs)
		}
	}
	if bytes.Contains(first, []byte(`\\`+`\\`)) || bytes.Contains(first, []byte(t.TempDir())) {
		t.Error("the report contains a path of the machine")
	}
}

func TestProgressAndCancel(t *testing.T) {
	t.Parallel()
	items := find(t, samplesRoot, workspaces)
	var seen []int
	if _, err := offline.Assess(t.Context(), items, offline.AssessOptions{Jobs: 3, Progress: func(done, total int) {
		seen = append(seen, done)
		if total != len(items) {
			t.Errorf("got %d in all, want %d", total, len(items))
		}
	}}); err != nil {
		t.Fatal(err)
	}
	if len(seen) != len(items) || !slices.IsSorted(seen) {
		t.Errorf("got progress %v", seen)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err := offline.Assess(ctx, items, offline.AssessOptions{Jobs: 1, Progress: func(done, _ int) {
		if n = done; done == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || n != 2 {
		t.Errorf("got error %v after %d items, want it cancelled after 2", err, n)
	}
}

func TestMinSeverity(t *testing.T) {
	t.Parallel()
	root := files(t, shop)
	all := item(t, assess(t, offline.AssessOptions{}, root), "Shop.SemanticModel")
	main := item(t, assess(t, offline.AssessOptions{MinSeverity: finding.Medium}, root), "Shop.SemanticModel")
	for _, f := range main.Findings {
		if f.Severity == finding.Low {
			t.Errorf("%v of severity %s is reported", f.RuleIDs, f.Severity)
		}
	}
	if len(main.Findings) == 0 || len(main.Findings)+main.Lesser != len(all.Findings) || *main.Result.Score != *all.Result.Score {
		t.Errorf("got %d and %d, want %d in all, and the same score", len(main.Findings), main.Lesser, len(all.Findings))
	}
}

// A data agent is assessed with the models among the items, and warns if one is missing.
func TestDataAgents(t *testing.T) {
	t.Parallel()
	retail := assess(t, offline.AssessOptions{}, samplesRoot, workspaces+"/Retail Analytics")
	agent := item(t, retail, "Sales Assistant.DataAgent")
	if agent.Error != nil || agent.Result.Score == nil || len(agent.Result.Sources) != 1 || !cmp.Equal(agent.ScoreDataAgent, agent.Result.Score) || len(retail.Warnings) != 0 {
		t.Fatalf("got %+v, warnings %v", agent.Result.Scores, retail.Warnings)
	}
	for _, f := range agent.Findings {
		if f.SourceModelID != "" && f.ObjectType != finding.SourceObject && !strings.Contains(f.File, "Retail Sales.SemanticModel/") {
			t.Errorf("%v of %s is reported for %s", f.RuleIDs, f.ObjectName, f.File)
		}
		if _, err := os.Stat(samplesRoot + "/" + f.File); err != nil {
			t.Error(err)
		}
	}
	alone := assess(t, offline.AssessOptions{}, samplesRoot, workspaces+"/Retail Analytics/Sales Assistant.DataAgent")
	read, err := ignores(t, "ignore:\n  - {rule: AGT-03, reason: r}\n  - {rule: DSC-01, table: Sales, object: X, reason: r}\n")
	if err != nil {
		t.Fatal(err)
	}
	ignoring := assess(t, offline.AssessOptions{Ignores: read}, samplesRoot, workspaces+"/Retail Analytics/Sales Assistant.DataAgent")
	for _, w := range ignoring.Warnings[1:] {
		if !strings.Contains(w.Message, "no longer finds anything there") {
			t.Errorf("an agent without a known model: %s", w)
		}
	}
	if len(alone.Warnings) != 1 || !strings.Contains(alone.Warnings[0].Message, "is not scored") || alone.Items[0].Result.Score != nil {
		t.Errorf("an agent without its model: %+v, %v", alone.Warnings, alone.Items[0].Result.Scores)
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	root := files(t, with(shop, "Empty.SemanticModel/definition/model.tmdl", "model Model\n", "Broken.SemanticModel/definition/model.tmdl", "<"))
	a := assess(t, offline.AssessOptions{}, root)
	score := *item(t, a, "Shop.SemanticModel").Result.Score
	for name, tt := range map[string]struct {
		gate offline.Gate
		want []string
	}{
		"nothing asked":     {offline.Gate{}, nil},
		"the very score":    {offline.Gate{FailUnder: &score}, []string{"Empty.SemanticModel: it has no score, because no table is exposed to AI"}},
		"a point more":      {offline.Gate{FailUnder: new(score + 1)}, []string{"Empty.SemanticModel: it has no", "Shop.SemanticModel: its score is "}},
		"medium findings":   {offline.Gate{FailOn: finding.Medium}, []string{"Shop.SemanticModel: "}},
		"score and finding": {offline.Gate{FailUnder: new(100), FailOn: finding.Low}, []string{"Empty.SemanticModel: it has no", "Empty.SemanticModel: ", "Shop.SemanticModel: its", "Shop.SemanticModel: "}},
	} {
		got := tt.gate.Misses(a)
		if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// What Power BI refuses in a file is a warning with its place, once per model, and does not affect the score.
//
// proves: decisions/9/15-notices
func TestWhatPowerBIRefuses(t *testing.T) {
	t.Parallel()
	sales := "Shop.SemanticModel/definition/tables/Sales.tmdl"
	clean := assess(t, offline.AssessOptions{}, files(t, shop))
	odd := files(t, with(shop, sales, strings.Replace(shop[sales], "\tcolumn Amount", "\t// by the tills\n\n\tcolumn Amount", 1)))
	before := tree(t, odd)
	a := assess(t, offline.AssessOptions{}, odd)
	if len(clean.Warnings) != 0 || len(a.Warnings) != 1 || a.Warnings[0].File != sales || a.Warnings[0].Line != 7 {
		t.Fatalf("got %v, and %v of the clean one", a.Warnings, clean.Warnings)
	}
	if *a.Items[0].Result.Score != *clean.Items[0].Result.Score || len(a.Items[0].Findings) != len(clean.Items[0].Findings) {
		t.Error("it affects the score")
	}
	for name, write := range formats {
		if got := written(t, func(b *bytes.Buffer) error { return write(b, a) }); !bytes.Contains(got, []byte("Power BI accepts no comment here")) && !slices.Contains([]string{"table.txt", "junit.xml", "csv"}, name) {
			t.Errorf("%s does not report it", name)
		}
	}
	thereAndBack(t, odd, embedded())
	if diff := cmp.Diff(before, tree(t, odd)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	many := files(t, with(shop, sales, strings.Repeat("// x\n", 50)+shop[sales]))
	if a := assess(t, offline.AssessOptions{}, many); len(a.Warnings) != 21 || !strings.Contains(a.Warnings[20].Message, "30 more places") {
		t.Errorf("%d warnings", len(a.Warnings))
	}
}
