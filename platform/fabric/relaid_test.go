package fabric_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/internal/samples"
	"readiness/platform/fabric/fabrictest"
)

// modelsIn returns the semantic models below a folder that can be read.
func modelsIn(t *testing.T, root string) map[string]definition.Definition {
	t.Helper()
	parts := map[string][]definition.Part{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		folder, file, in := strings.Cut(path, ".SemanticModel/")
		if err != nil || entry.IsDir() || !in || strings.HasPrefix(file, ".") {
			return err
		}
		data, err := os.ReadFile(path)
		parts[folder] = append(parts[folder], definition.Part{Path: file, Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	models := map[string]definition.Definition{}
	for folder, parts := range parts {
		d := definition.New(parts...)
		if _, err := semanticmodel.Read(d); err == nil {
			models[strings.TrimPrefix(folder, root)] = d
		}
	}
	return models
}

// everyChange returns a change of every property of every object that has it.
func everyChange(d definition.Definition, m *semanticmodel.Model) (all []rewrite.Change) {
	add := func(p rewrite.Property, table, name, value string) {
		if rewrite.Kept(d, m, p) == nil {
			all = append(all, rewrite.Change{Target: rewrite.Target{Property: p, Table: table, Name: name}, Value: value})
		}
	}
	add(rewrite.Instructions, "", "", "# Rules\n\nAnswer in euros.  \nBe brief: “short”.\n\n")
	if m.QnA != semanticmodel.QnANoPart {
		add(rewrite.QnAEnabled, "", "", "true")
	}
	object := func(table, name string) {
		add(rewrite.Description, table, name, "One line,\nand another.")
		add(rewrite.Visibility, table, name, "Hidden")
		add(rewrite.Synonyms, table, name, "Umsatz\nnet “sales”")
	}
	for _, t := range m.Tables {
		object(t.Name, "")
		for _, c := range t.Columns {
			object(t.Name, c.Name)
			add(rewrite.DisplayFolder, t.Name, c.Name, `Umsätze\Netto`)
			add(rewrite.SummarizeBy, t.Name, c.Name, "average")
		}
		for _, c := range t.Measures {
			object(t.Name, c.Name)
			add(rewrite.DisplayFolder, t.Name, c.Name, `Umsätze\Netto`)
		}
	}
	return all
}

// layouts are all combinations of the emulator's switches.
func layouts() (all []fabrictest.Layout) {
	for bits := range 8 {
		all = append(all, fabrictest.Layout{CRLF: bits&1 > 0, CompactJSON: bits&2 > 0, TrimMarkdown: bits&4 > 0})
	}
	return all
}

// A write on a platform that lays definitions out its own way is reverted: nothing is refused, no part is left over, and
// the definition that is read is the one from before, byte for byte.
//
// proves: decisions/8/20-relaid
func TestRevertsOnEveryLayout(t *testing.T) {
	t.Parallel()
	models := modelsIn(t, samples.Workspaces(t))
	if root, public := samples.Corpus(t); public {
		for name, d := range modelsIn(t, root) {
			models["corpus"+name] = d
		}
	}
	var written, refused, lost, leftOver, differs atomic.Int64
	t.Run("models", func(t *testing.T) {
		for name, d := range models {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for _, layout := range layouts() {
					laid := func(d definition.Definition) definition.Definition { return layout.Apply(item.SemanticModel, d) }
					read := laid(d)
					m, err := semanticmodel.Read(read)
					if err != nil {
						t.Fatal(err)
					}
					changes := everyChange(read, m)
					sent, undos, err := rewrite.Write(read, changes)
					if err != nil {
						t.Fatalf("%+v: %v", layout, err)
					}
					there := laid(sent)
					lost.Add(missing(t, there, undos))
					written.Add(int64(len(changes)))
					back, err := rewrite.Restore(there, undos)
					if err != nil {
						refused.Add(1)
						t.Errorf("%+v: %v", layout, err)
						continue
					}
					after := laid(back)
					leftOver.Add(int64(max(0, len(after.Parts)-len(read.Parts))))
					if after.Hash() != read.Hash() {
						differs.Add(1)
						t.Errorf("%+v: another definition is read after the revert", layout)
					}
				}
			})
		}
	})
	t.Logf("%d models, %d layouts: %d values written, %d read back otherwise, %d reverts refused, %d parts left over, %d definitions differ",
		len(models), len(layouts()), written.Load(), lost.Load(), refused.Load(), leftOver.Load(), differs.Load())
	if written.Load() == 0 || lost.Load()+refused.Load()+leftOver.Load()+differs.Load() > 0 {
		t.Fail()
	}
}

// missing counts the values that are not read back as they were written.
func missing(t *testing.T, d definition.Definition, undos []rewrite.Undo) (n int64) {
	t.Helper()
	targets := make([]rewrite.Target, len(undos))
	for i, u := range undos {
		targets[i] = u.Target
	}
	values, err := rewrite.Values(d, targets)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range values {
		if !rewrite.Same(undos[i].Property, v.Text, &undos[i].Written) {
			n++
		}
	}
	return n
}
