package offline_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"readiness/domain/optimization"
	"readiness/domain/proposal"
	"readiness/offline"
	"readiness/offline/report"
)

// at is the time of the records.
var at = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// The test program runs itself as a process that applies, and is killed at one of the points around its writes.
const (
	crashRoot   = "OFFLINE_TEST_CRASH_ROOT"
	crashRecord = "OFFLINE_TEST_CRASH_RECORD"
	crashStep   = "OFFLINE_TEST_CRASH_STEP"
)

func TestMain(m *testing.M) {
	root := os.Getenv(crashRoot)
	if root == "" {
		os.Exit(m.Run())
	}
	left, err := strconv.Atoi(os.Getenv(crashStep))
	if err != nil {
		panic(err)
	}
	offline.SetCrashPoint(func() {
		if left--; left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	})
	ctx := context.Background()
	items, _, err := offline.Find(ctx, root, []string{root})
	if err != nil {
		panic(err)
	}
	all, _, err := offline.Propose(ctx, items, embedded(optimization.Descriptions))
	if err != nil {
		panic(err)
	}
	if _, _, err := offline.Write(ctx, all, os.Getenv(crashRecord), at); err != nil {
		panic(err)
	}
}

// reversed plans the revert of a record.
func reversed(t testing.TB, root, record string) []offline.Reversal {
	t.Helper()
	r, err := offline.ReadRecord(record)
	if err != nil {
		t.Fatal(err)
	}
	all, err := offline.Reverse(t.Context(), root, r, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func putBack(t testing.TB, all []offline.Reversal) []offline.Applied {
	t.Helper()
	applied, err := offline.Restore(t.Context(), all, nil)
	if err != nil {
		t.Fatal(err)
	}
	return applied
}

// write writes the proposals, which must all succeed.
func write(t testing.TB, all []offline.Proposal) (record string, models int) {
	t.Helper()
	record = filepath.Join(t.TempDir(), "record.json")
	applied, named, err := offline.Write(t.Context(), all, record, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range applied {
		if a.Error != nil {
			t.Errorf("%s: %v", a.Path, a.Error)
		}
	}
	if len(applied) > 0 && named != record {
		t.Errorf("the record is %q", named)
	}
	return record, len(applied)
}

// thereAndBack applies the proposals to a folder and reverts them. No model's score may fall, and the revert must
// restore every byte. Git must do the same with the printed diffs. It returns how many models were written.
func thereAndBack(t testing.TB, root string, o offline.ProposeOptions) int {
	t.Helper()
	before := tree(t, root)
	all := propose(t, o, root)
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Fatalf("a proposal writes (-want +got):\n%s", diff)
	}
	want := map[string]string{}
	for _, p := range all {
		if p.Error != nil {
			continue
		}
		if p.ScoreNow != nil && *p.ScoreAfter < *p.ScoreNow {
			t.Errorf("%s: the score falls from %d to %d", p.Shown, *p.ScoreNow, *p.ScoreAfter)
		}
		if p.ScoreAfter != nil {
			want[p.Shown] = strconv.Itoa(*p.ScoreAfter)
		}
	}
	record, models := write(t, all)
	if models == 0 {
		return 0
	}
	if maps.Equal(before, tree(t, root)) {
		t.Error("nothing was written")
	}
	for _, i := range assess(t, offline.AssessOptions{}, root).Items {
		if score, ok := want[i.Path]; ok && score != strconv.Itoa(*i.Result.Score) {
			t.Errorf("%s: score %d, want %s", i.Path, *i.Result.Score, score)
		}
	}
	after := tree(t, root)
	patched := files(t, before)
	gitApply(t, patched, diffsOf(t, all))
	if diff := cmp.Diff(after, tree(t, patched)); diff != "" {
		t.Errorf("the diff, applied by git (-want +got):\n%s", diff)
	}
	back := reversed(t, root, record)
	gitApply(t, patched, written(t, func(b *bytes.Buffer) error {
		for _, v := range back {
			if err := (report.Screen{}).WriteReversal(b, v); err != nil {
				return err
			}
		}
		return nil
	}))
	if diff := cmp.Diff(before, tree(t, patched)); diff != "" {
		t.Errorf("the diff of the reversal, applied by git (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(after, tree(t, root)); diff != "" {
		t.Fatalf("planning a reversal writes (-want +got):\n%s", diff)
	}
	if n := len(putBack(t, back)); n != models {
		t.Errorf("%d models were reverted, want %d", n, models)
	}
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("the original bytes (-want +got):\n%s", diff)
	}
	for _, again := range reversed(t, root, record) {
		if !again.AsBefore || again.Error != nil {
			t.Errorf("reverted twice: %s", again.Headline())
		}
	}
	return models
}

// A revert restores every byte, for each kind and for all kinds together.
func TestApplyAndRevert(t *testing.T) {
	t.Parallel()
	for _, kinds := range append([][]optimization.Kind{nil}, [][]optimization.Kind{
		{optimization.AIInstructions}, {optimization.Descriptions}, {optimization.Properties}, {optimization.AIDataSchema},
	}...) {
		t.Run(strings.Join(names(kinds), "+"), func(t *testing.T) {
			t.Parallel()
			if n := thereAndBack(t, copied(t, makes...), embedded(kinds...)); n < 2 {
				t.Errorf("only %d models were written", n)
			}
		})
	}
}

func names(kinds []optimization.Kind) []string {
	all := []string{}
	for _, k := range kinds {
		all = append(all, string(k))
	}
	if len(all) == 0 {
		return []string{"all"}
	}
	return all
}

// gitApply applies a diff to the files of a folder.
func gitApply(t testing.TB, root string, diff []byte) {
	t.Helper()
	c := exec.Command("git", "apply", "-v", "--whitespace=nowarn", "-")
	c.Dir, c.Stdin = root, bytes.NewReader(diff)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(root))
	if out, err := c.CombinedOutput(); err != nil || bytes.Contains(out, []byte("(offset ")) {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, diff)
	}
}

// diffsOf returns what preview and apply print: diffs below their headlines.
func diffsOf(t testing.TB, all []offline.Proposal) []byte {
	t.Helper()
	return written(t, func(b *bytes.Buffer) error {
		for _, p := range all {
			fmt.Fprintln(b, p.Headline())
			if err := (report.Screen{}).WriteDiff(b, p); err != nil {
				return err
			}
		}
		return nil
	})
}

func TestDiffOnATerminal(t *testing.T) {
	t.Parallel()
	all := propose(t, embedded(), copied(t, makes[0]))
	var colored bytes.Buffer
	for _, p := range all {
		if err := (report.Screen{Terminal: true, Color: true}).WriteDiff(&colored, p); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(colored.String(), "\x1b[32m+") || bytes.Contains(diffsOf(t, all), []byte("\x1b")) {
		t.Error("a diff has colors on terminals, and only there")
	}
}

// Keys select changes; a key that no model has is rejected before anything is written.
func TestKeys(t *testing.T) {
	t.Parallel()
	root := files(t, telling)
	o := embedded()
	all := propose(t, o, root)[0]
	var keys []string
	for _, p := range all.Previews {
		for _, c := range p.Changes {
			keys = append(keys, c.Key)
		}
	}
	if !slices.Contains(keys, "Products|") || len(all.Applies) < 2 {
		t.Fatalf("got keys %q", keys)
	}
	o.Keys = []string{"Products|"}
	o.Kinds = []optimization.Kind{optimization.Descriptions}
	one := propose(t, o, root)[0]
	if one.Changes() != 1 || one.Applies[0].Writes[0].Objects[0].Key != "Products|" {
		t.Errorf("got %+v", one.Applies)
	}
	o.Keys = []string{"Products|", "Product|"}
	if _, _, err := offline.Propose(t.Context(), find(t, root, root), o); err == nil || !strings.Contains(err.Error(), `no change has the key "Product|"`) {
		t.Errorf("got error %v", err)
	}
	if _, _, err := offline.Propose(t.Context(), find(t, samplesRoot, workspaces+"/Retail Analytics/Sales Assistant.DataAgent"), embedded()); err == nil {
		t.Error("a data agent was optimized")
	}
}

// What a person must review first is written only under its key: the AI provider removes a line of the instructions.
func TestReviewedFirst(t *testing.T) {
	t.Parallel()
	model := maps.Clone(shop)
	model["Shop.SemanticModel/Copilot/Instructions/instructions.md"] = "Never show costs to customers.\nUse [Net Sales] for revenue.\n"
	root := files(t, model)
	o := embedded(optimization.AIInstructions)
	o.Propose = func(_ context.Context, ask proposal.Ask) (proposal.Answer, error) {
		return proposal.Answer{Provider: proposal.Provider{Kind: "openai", Name: "A language model"}, Proposals: []proposal.Proposal{
			{Object: proposal.Object{Type: proposal.Model}, Value: "Use [Net Sales] for revenue.\nA year is a calendar year.\n", Origin: &proposal.Origin{}},
		}}, nil
	}
	all, warnings, err := offline.Propose(t.Context(), find(t, root, root), o)
	if err != nil || all[0].Error != nil {
		t.Fatal(err, all[0].Error)
	}
	keys := []string{}
	for _, c := range all[0].Previews[0].Changes {
		if c.ReviewRequired != "" {
			keys = append(keys, c.Key)
		}
	}
	if len(keys) != 1 || !slices.ContainsFunc(warnings, func(w offline.Warning) bool { return strings.Contains(w.Message, keys[0]+" is not written") }) {
		t.Fatalf("got %v and the warnings %v", all[0].Previews, warnings)
	}
	for _, a := range all[0].Applies {
		for _, w := range a.Writes {
			if slices.ContainsFunc(w.Objects, func(o optimization.Object) bool { return o.Key == keys[0] }) {
				t.Errorf("%+v is written without a review", w)
			}
		}
	}
	o.Keys = keys
	if one := propose(t, o, root)[0]; len(one.Applies) != 1 || one.Applies[0].Writes[0].Objects[0].Key != keys[0] {
		t.Errorf("with its key, got %+v", one.Applies)
	}
}

// A failing provider is reported for each model, and nothing is written.
func TestAProviderThatFails(t *testing.T) {
	t.Parallel()
	root := files(t, shop)
	o := embedded(optimization.Descriptions)
	o.Propose = func(context.Context, proposal.Ask) (proposal.Answer, error) {
		return proposal.Answer{}, context.DeadlineExceeded
	}
	all := propose(t, o, root)
	if all[0].Error == nil || !strings.Contains(all[0].Headline(), "cannot be optimized") {
		t.Errorf("got %s", all[0].Headline())
	}
	record := filepath.Join(t.TempDir(), "r.json")
	if applied, named, err := offline.Write(t.Context(), all, record, at); len(applied) != 0 || named != "" || err != nil {
		t.Errorf("got %v, %q, %v", applied, named, err)
	}
	if _, err := os.Stat(record); !os.IsNotExist(err) {
		t.Error("nothing was written, but a record exists")
	}
}

// A model that changed since it was read is left unchanged, and the others are written.
func TestChangedSinceItWasRead(t *testing.T) {
	t.Parallel()
	root := files(t, shops())
	all := propose(t, embedded(optimization.Descriptions), root)
	file := filepath.Join(root, "a", "Shop.SemanticModel", "definition", "model.tmdl")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
	before := tree(t, root)
	record := filepath.Join(t.TempDir(), "r.json")
	applied, kept, err := offline.Write(t.Context(), all, record, at)
	if err != nil || kept != record {
		t.Fatalf("got the record %q, %v", kept, err)
	}
	refused := 0
	for _, a := range applied {
		if a.Error != nil {
			refused++
			if !strings.HasPrefix(a.Path, "a/") || !strings.Contains(a.Error.Error(), "was changed since it was read") {
				t.Errorf("%s: %v", a.Path, a.Error)
			}
		}
	}
	if refused != 1 || len(applied) != 3 {
		t.Errorf("%d of %d were refused", refused, len(applied))
	}
	for _, v := range reversed(t, root, record) {
		if v.Error != nil || v.AsBefore != strings.HasPrefix(v.Path, "a/") {
			t.Errorf("%s: %s", v.Path, v.Headline())
		}
	}
	putBack(t, reversed(t, root, record))
	if diff := cmp.Diff(before, tree(t, root)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	none := filepath.Join(t.TempDir(), "none.json")
	changed := slices.DeleteFunc(all, func(p offline.Proposal) bool { return !strings.HasPrefix(p.Shown, "a/") })
	applied, kept, err = offline.Write(t.Context(), changed, none, at)
	if _, there := os.Stat(none); err != nil || kept != "" || !errors.Is(there, fs.ErrNotExist) || len(applied) != 1 || applied[0].Error == nil {
		t.Errorf("nothing was written, but there is a record %q (%v): %+v, %v", kept, there, applied, err)
	}
}

// A revert refuses objects that were changed since, keeps changes elsewhere, and of properties skips only the changed
// objects.
func TestRevertAfterChanges(t *testing.T) {
	t.Parallel()
	const sales = "Shop.SemanticModel/definition/tables/Sales.tmdl"
	for name, tt := range map[string]struct {
		kind    optimization.Kind
		change  func(text string) string
		refused string
		skipped int
	}{
		"a description that was edited": {optimization.Descriptions, func(text string) string { return strings.Replace(text, "\t/// ", "\t/// Mine: ", 1) }, "after the apply", 0},
		"an object that is gone":        {optimization.Descriptions, func(text string) string { return text[:strings.Index(text, "\tmeasure")] }, "no longer", 0},
		"something else":                {optimization.Descriptions, func(text string) string { return text + "\n\tannotation Mine = 1\n" }, "", 0},
		"a property that was edited":    {optimization.Properties, func(text string) string { return strings.Replace(text, "summarizeBy: none", "summarizeBy: max", 1) }, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := files(t, shop)
			record, n := write(t, propose(t, embedded(tt.kind), root))
			if n != 1 {
				t.Fatalf("%d models were written", n)
			}
			file := filepath.Join(root, filepath.FromSlash(sales))
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			changed := tt.change(string(text))
			if changed == string(text) {
				t.Fatalf("nothing was changed in\n%s", text)
			}
			if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
				t.Fatal(err)
			}
			before := tree(t, root)
			back := reversed(t, root, record)
			applied := putBack(t, back)
			switch {
			case tt.refused != "":
				if back[0].Error == nil || !strings.Contains(back[0].Error.Error(), tt.refused) || len(applied) != 0 {
					t.Errorf("got %s", back[0].Headline())
				}
				if diff := cmp.Diff(before, tree(t, root)); diff != "" {
					t.Errorf("refused, and written (-want +got):\n%s", diff)
				}
			case tt.skipped == 0:
				if diff := cmp.Diff(with(shop, sales, tt.change(shop[sales])), tree(t, root)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			default:
				if back[0].Error != nil || len(back[0].Skipped) != tt.skipped || !strings.Contains(tree(t, root)[sales], "summarizeBy: max") {
					t.Errorf("got %s, %v", back[0].Headline(), back[0].Skipped)
				}
			}
		})
	}
}

// Wherever an apply is interrupted, its record reverts what was written.
func TestAnInterruptedApply(t *testing.T) {
	t.Parallel()
	for step := 1; ; step++ {
		root := files(t, shops())
		before := tree(t, root)
		record := filepath.Join(t.TempDir(), "record.json")
		program := exec.CommandContext(t.Context(), os.Args[0])
		program.Env = append(os.Environ(), crashRoot+"="+root, crashRecord+"="+record, crashStep+"="+strconv.Itoa(step))
		out, err := program.CombinedOutput()
		written := 0
		for _, v := range reversed(t, root, record) {
			if v.Error != nil {
				t.Errorf("step %d: %s", step, v.Headline())
			}
			if !v.AsBefore {
				written++
			}
		}
		if killed := err != nil; killed && written != step/2 {
			t.Errorf("step %d: %d models were written, want %d: %v\n%s", step, written, step/2, err, out)
		}
		putBack(t, reversed(t, root, record))
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Errorf("step %d (-want +got):\n%s", step, diff)
		}
		if err == nil {
			if step != 7 {
				t.Errorf("there were %d steps, want one before and one after each of 3 models", step-1)
			}
			return
		}
	}
}

// A model that the apply never reached, and that was changed elsewhere since, has nothing to revert.
func TestChangedAfterAnInterruptedApply(t *testing.T) {
	t.Parallel()
	root := files(t, shop)
	all := propose(t, embedded(), root)
	pristine := tree(t, root)
	record, _ := write(t, all)
	if err := os.RemoveAll(filepath.Join(root, "Shop.SemanticModel")); err != nil {
		t.Fatal(err)
	}
	changed := with(pristine, "Shop.SemanticModel/definition/tables/Mine.tmdl", "table Mine\n\tcolumn A\n\t\tdataType: string\n")
	for name, text := range changed {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	back := reversed(t, root, record)
	if !back[0].AsBefore || back[0].Error != nil || len(putBack(t, back)) != 0 {
		t.Errorf("got %s", back[0].Headline())
	}
	if diff := cmp.Diff(changed, tree(t, root)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A record never replaces another one and never becomes part of a model.
func TestRecords(t *testing.T) {
	t.Parallel()
	root := files(t, shop)
	before := tree(t, root)
	all := propose(t, embedded(), root)
	taken := filepath.Join(t.TempDir(), "taken.json")
	if err := os.WriteFile(taken, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"already exists":      taken,
		"would become a part": filepath.Join(root, "Shop.SemanticModel", "definition", "r.json"),
		"cannot be written":   filepath.Join(root, "nowhere", "r.json"),
	} {
		if _, _, err := offline.Write(t.Context(), all, file, at); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v", name, err)
		}
		if diff := cmp.Diff(before, tree(t, root)); diff != "" {
			t.Fatalf("%s, but something was written:\n%s", name, diff)
		}
	}
	record, _ := write(t, all)
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), root) {
		t.Error("the record contains a path of the machine")
	}
	for name, tt := range map[string]struct{ from, to, err string }{
		"a path that leads out":  {`"path": "Shop.SemanticModel"`, `"path": "../Shop.SemanticModel"`, "not a semantic model or report below the root"},
		"an absolute path":       {`"path": "Shop.SemanticModel"`, `"path": "/etc/Shop.SemanticModel"`, "not a semantic model or report below the root"},
		"no model":               {`"path": "Shop.SemanticModel"`, `"path": "Shop"`, "not a semantic model or report below the root"},
		"another format":         {"readiness-apply/1", "readiness-apply/2", `has the format "readiness-apply/2"`},
		"an unknown member":      {`"models"`, `"model"`, "is unknown"},
		"intents without writes": {`"write": 0`, `"write": 3`, "has write 3 at index 0"},
		"no JSON":                {"{", "[", "cannot be read"},
	} {
		file := filepath.Join(t.TempDir(), "r.json")
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), tt.from, tt.to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := offline.ReadRecord(file); err == nil || !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: got error %v, want %q", name, err, tt.err)
		}
	}
	// An edited record is not accepted as the original bytes.
	var r offline.Record
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	r.Models[0].DefinitionHash = "sha256:0"
	back, err := offline.Reverse(t.Context(), root, r, nil)
	if err != nil || back[0].Error == nil || !strings.Contains(back[0].Error.Error(), "the record was changed") {
		t.Errorf("got %v, %v", back[0].Error, err)
	}
	// A link in the model's place is not followed.
	elsewhere := filepath.Join(t.TempDir(), "Shop.SemanticModel")
	if err := os.Rename(filepath.Join(root, "Shop.SemanticModel"), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(root, "Shop.SemanticModel")); err != nil {
		t.Fatal(err)
	}
	linked := tree(t, elsewhere)
	if back := reversed(t, root, record); back[0].Error == nil || len(putBack(t, back)) != 0 {
		t.Error("a link was followed")
	}
	if diff := cmp.Diff(linked, tree(t, elsewhere)); diff != "" {
		t.Errorf("a link led a revert out:\n%s", diff)
	}
}

// All proposals are listed with keys, as the service lists them.
func TestPreviews(t *testing.T) {
	t.Parallel()
	all := propose(t, embedded(), files(t, with(shop, "B.SemanticModel/definition/model.tmdl", "<")))
	var got struct {
		Format string
		Models []struct {
			Path     string
			Error    *string
			Previews []struct {
				Kind    string
				Changes []optimization.Change
			}
		}
	}
	if err := json.Unmarshal(written(t, func(b *bytes.Buffer) error { return offline.WritePreviews(b, all, nil, "") }), &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != "readiness-previews/1" || len(got.Models) != 2 || got.Models[0].Error == nil || got.Models[1].Error != nil {
		t.Fatalf("got %+v", got)
	}
	var kinds []string
	for n, p := range got.Models[1].Previews {
		kinds = append(kinds, p.Kind)
		if diff := cmp.Diff(all[1].Previews[n].Changes, p.Changes); diff != "" {
			t.Errorf("%s (-want +got):\n%s", p.Kind, diff)
		}
	}
	if !slices.Equal(kinds, []string{"aiInstructions", "descriptions", "properties", "aiDataSchema"}) {
		t.Errorf("got kinds %q", kinds)
	}
}
