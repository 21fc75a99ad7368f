package rewrite_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
)

var (
	texts = rapid.OneOf(
		rapid.SampledFrom([]string{"Sales of a day, in euros.", "a\nb", "a\r\nb\rc", "x\n", " a ", "/// x", "a\n\nb", "measure x = y", `"quoted"`, "{\"a\": \"\\\"\"}", "```", "é\u2009日"}),
		rapid.StringMatching(`[ -~é日\n\r\t]{1,60}`),
	)
	folders = rapid.OneOf(
		rapid.SampledFrom([]string{"Sales", `Sales\Net`, `"`, `""`, `"a"`, " a ", "= x", "a: b", "true", "é日", strings.Repeat("x", 100)}),
		rapid.StringMatching(`[ -~é日]{1,40}`),
	)
)

// synonyms are words of an AI data schema; the schemas have some of them.
var synonyms = []string{"a", "s", "turnover", "net \"sales\"", "Umsatz é日", " b ", "<c>"}

// targets returns everything that can be written in the model.
func targets(d definition.Definition, m *semanticmodel.Model) []rewrite.Target {
	object := []rewrite.Property{rewrite.Description, rewrite.Visibility}
	if rewrite.Kept(d, m, rewrite.Synonyms) == nil {
		object = append(object, rewrite.Synonyms)
	}
	all := []rewrite.Target{{Property: rewrite.Instructions}}
	for _, t := range m.Tables {
		add := func(name string, properties ...rewrite.Property) {
			for _, p := range properties {
				all = append(all, rewrite.Target{Property: p, Table: t.Name, Name: name})
			}
		}
		add("", object...)
		for _, c := range t.Columns {
			add(c.Name, rewrite.DisplayFolder, rewrite.SummarizeBy)
			add(c.Name, object...)
		}
		for _, m := range t.Measures {
			add(m.Name, rewrite.DisplayFolder)
			add(m.Name, object...)
		}
	}
	return all
}

// draw draws changes of different targets.
func draw(t *rapid.T, d definition.Definition, m *semanticmodel.Model, most int) []rewrite.Change {
	all := targets(d, m)
	byTarget := map[rewrite.Target]rewrite.Change{}
	for range rapid.IntRange(1, most).Draw(t, "changes") {
		c := rewrite.Change{Target: rapid.SampledFrom(all).Draw(t, "target")}
		if rapid.IntRange(0, 4).Draw(t, "instructions") == 0 {
			c.Target = all[0]
		}
		switch c.Property {
		case rewrite.Description, rewrite.Instructions:
			c.Value = texts.Draw(t, "text")
		case rewrite.DisplayFolder:
			c.Value = folders.Draw(t, "folder")
		case rewrite.SummarizeBy:
			c.Value = rapid.SampledFrom([]string{"none", "sum", "default", "distinctCount"}).Draw(t, "default")
		case rewrite.Visibility:
			c.Value = rapid.SampledFrom([]string{"Visible", "Hidden"}).Draw(t, "visibility")
		case rewrite.Synonyms:
			c.Value = strings.Join(rapid.SliceOfN(rapid.SampledFrom(synonyms), 1, 4).Draw(t, "synonyms"), "\n")
		case rewrite.QnAEnabled: // is not written
		}
		if rewrite.CheckText(c.Property, c.Value) == "" {
			byTarget[c.Target] = c
		}
	}
	return slices.SortedFunc(maps.Values(byTarget), func(a, b rewrite.Change) int {
		return strings.Compare(fmt.Sprint(a.Target), fmt.Sprint(b.Target))
	})
}

// stored returns the undos after a round trip through JSON.
func stored(t rapid.TB, undos []rewrite.Undo) []rewrite.Undo {
	t.Helper()
	data, err := json.Marshal(undos)
	if err != nil {
		t.Fatal(err)
	}
	var back []rewrite.Undo
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

// same fails unless the definitions are equal byte for byte.
func same(t rapid.TB, want, got definition.Definition) {
	t.Helper()
	byPath := func(d definition.Definition) map[string]string {
		all := map[string]string{}
		for _, p := range d.Parts {
			all[p.Path] = string(p.Data)
		}
		return all
	}
	if want.Hash() != got.Hash() {
		t.Fatalf("parts (-want +got):\n%s", cmp.Diff(byPath(want), byPath(got)))
	}
}

// writeAndRestore checks the properties of any changes of any definition.
func writeAndRestore(t *rapid.T, d definition.Definition) {
	m, err := semanticmodel.Read(d)
	if err != nil {
		t.Fatal(err)
	}
	changes := draw(t, d, m, 12)
	if len(changes) == 0 {
		return
	}
	hash := d.Hash()
	written, undos, err := rewrite.Write(d, changes)
	if err != nil {
		t.Fatalf("%v\n%q", err, changes)
	}
	undos = stored(t, undos)
	if d.Hash() != hash {
		t.Fatal("Write changed the definition it was given")
	}
	holds(t, d, written, changes)
	onlyExpectedLines(t, d, written, undos)

	// All at once.
	restored, err := rewrite.Restore(written, undos)
	if err != nil {
		t.Fatal(err)
	}
	same(t, d, restored)

	// Some after the others, in any order.
	rest, partly := rapid.Permutation(undos).Draw(t, "order"), written
	for len(rest) > 0 {
		n := rapid.IntRange(1, len(rest)).Draw(t, "restored together")
		if partly, err = rewrite.Restore(partly, rest[:n]); err != nil {
			t.Fatal(err)
		}
		if _, err := rewrite.Restore(partly, rest[:1]); err == nil && rest[0].Written != reading(t, partly, rest[0].Target) {
			t.Fatalf("%s was restored twice", rest[0].Target)
		}
		rest = rest[n:]
	}
	same(t, d, partly)

	// Other writes since are kept, as if there had been no others.
	var others []rewrite.Change
	for _, c := range draw(t, d, m, 6) {
		if !slices.ContainsFunc(changes, func(own rewrite.Change) bool { return own.Target == c.Target }) && inDeclaration[c.Property] {
			others = append(others, c)
		}
	}
	both, _, err := rewrite.Write(written, others)
	if err != nil {
		t.Fatal(err)
	}
	alone, _, err := rewrite.Write(d, others)
	if err != nil {
		t.Fatal(err)
	}
	if restored, err = rewrite.Restore(both, undos); err != nil {
		t.Fatal(err)
	}
	same(t, alone, restored)
}

func reading(t rapid.TB, d definition.Definition, target rewrite.Target) string {
	t.Helper()
	values, err := rewrite.Values(d, []rewrite.Target{target})
	if err != nil {
		t.Fatal(err)
	}
	if values[0].Text == nil {
		return ""
	}
	return *values[0].Text
}

// holds checks that every target of the model has its previous or its written value.
func holds(t rapid.TB, before, after definition.Definition, changes []rewrite.Change) {
	m, err := semanticmodel.Read(before)
	if err != nil {
		t.Fatal(err)
	}
	all := targets(before, m)
	was, err := rewrite.Values(before, all)
	if err != nil {
		t.Fatal(err)
	}
	is, err := rewrite.Values(after, all)
	if err != nil {
		t.Fatal(err)
	}
	written := map[rewrite.Target]string{}
	for _, c := range changes {
		written[c.Target] = c.Value
		if c.Property == rewrite.Description {
			written[c.Target] = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(c.Value)
		}
	}
	for i, target := range all {
		want := was[i]
		if text, ok := written[target]; ok {
			want.Text = &text
		}
		if diff := cmp.Diff(want, is[i]); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", target, diff)
		}
	}
}

// inDeclaration are the properties that the files which declare objects hold.
var inDeclaration = map[rewrite.Property]bool{rewrite.Description: true, rewrite.DisplayFolder: true, rewrite.SummarizeBy: true}

// onlyExpectedLines checks the files that declare objects: the only removed lines
// are those in the undos, and the only added lines are those of the values.
func onlyExpectedLines(t rapid.TB, before, after definition.Definition, undos []rewrite.Undo) {
	declares := func(p definition.Part) bool {
		return strings.HasSuffix(p.Path, ".tmdl") && !strings.Contains(p.Path, "cultures/")
	}
	// More or fewer of a line than before.
	count, total := map[string]int{}, 0
	add := func(data []byte, n int) {
		text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(bytes.TrimPrefix(data, []byte("\ufeff"))))
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			count[line] += n
			total += n
		}
	}
	for _, p := range before.Parts {
		now, ok := after.Part(p.Path)
		if !ok {
			t.Fatalf("%s is gone", p.Path)
		}
		if declares(p) && !bytes.Equal(p.Data, now) {
			add(p.Data, -1)
			add(now, 1)
		}
	}
	for _, u := range undos {
		if _, tmsl := before.Part("model.bim"); tmsl || !inDeclaration[u.Property] {
			continue
		}
		total -= strings.Count(u.Written, "\n") + 1
		if u.Lines != nil {
			add([]byte(*u.Lines), 1)
		}
	}
	if total != 0 {
		t.Fatalf("%d lines more than expected: %v", total, count)
	}
	for line, n := range count {
		if n < 0 {
			t.Fatalf("the line %q went %d times", line, -n)
		}
	}
}

// readable returns the corpus's models in all variants that can be read: in some,
// lines of mixed ends are not valid TMDL.
func readable(t *testing.T) []definition.Definition {
	t.Helper()
	var all []definition.Definition
	models := corpus(t)
	for _, name := range slices.Sorted(maps.Keys(models)) {
		for _, kind := range variants {
			d := variant(models[name], kind)
			if _, err := semanticmodel.Read(d); err == nil {
				all = append(all, d)
			}
		}
	}
	return all
}

// proves: 4.5/revert/1
func TestCorpus(t *testing.T) {
	t.Parallel()
	models := readable(t)
	rapid.Check(t, func(t *rapid.T) { writeAndRestore(t, rapid.SampledFrom(models).Draw(t, "model")) })
}

// TestCorpusAllChanges changes everything in each model of the corpus at once and
// restores it.
func TestCorpusAllChanges(t *testing.T) {
	t.Parallel()
	for _, d := range readable(t) {
		m, err := semanticmodel.Read(d)
		if err != nil {
			t.Fatal(err)
		}
		var changes []rewrite.Change
		for _, target := range targets(d, m) {
			value := map[rewrite.Property]string{rewrite.SummarizeBy: "min", rewrite.Visibility: "Hidden", rewrite.Synonyms: "one\ntwo"}[target.Property]
			if value == "" {
				value = "Another " + target.String()
			}
			if rewrite.CheckText(target.Property, value) == "" {
				changes = append(changes, rewrite.Change{Target: target, Value: value})
			}
		}
		written, undos, err := rewrite.Write(d, changes)
		if err != nil {
			t.Fatal(err)
		}
		undos = stored(t, undos)
		holds(t, d, written, changes)
		onlyExpectedLines(t, d, written, undos)
		restored, err := rewrite.Restore(written, undos)
		if err != nil {
			t.Fatal(err)
		}
		same(t, d, restored)
	}
}
