package fabric_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"readiness/definition"
	"readiness/definition/rewrite"
	"readiness/definition/semanticmodel"
	"readiness/domain/item"
	"readiness/platform/fabric"
	"readiness/platform/fabric/emulator"
	"readiness/test/samples"
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

// layouts are the combinations of the switches that lay out, and those that affect parts below Copilot/ and updates, each
// with everything laid out as it is and again. The latter see a tenth of the values.
func layouts() (all []emulator.Layout) {
	for bits := range 8 {
		all = append(all, emulator.Layout{CRLF: bits&1 > 0, CompactJSON: bits&2 > 0, TrimMarkdown: bits&4 > 0})
	}
	all = append(all, emulator.Layout{Exact: true})
	for _, l := range []emulator.Layout{all[0], all[7]} {
		for _, change := range []func(*emulator.Layout){
			func(l *emulator.Layout) { l.DropCopilot, l.KeepsHidden = true, true },
			func(l *emulator.Layout) { l.DropCopilot = true },
			func(l *emulator.Layout) { l.LosesCopilot = true },
			func(l *emulator.Layout) { l.Forgetful = true },
		} {
			special := l
			change(&special)
			all = append(all, special)
		}
	}
	return all
}

// special reports whether the layout keeps something back or loses it.
func special(l emulator.Layout) bool { return l.DropCopilot || l.LosesCopilot || l.Forgetful }

// below returns the parts of a definition below Copilot/.
func below(d definition.Definition) definition.Definition {
	var parts []definition.Part
	for _, p := range d.Parts {
		if strings.HasPrefix(p.Path, "Copilot/") {
			parts = append(parts, p)
		}
	}
	return definition.New(parts...)
}

// without returns a definition without the parts below Copilot/.
func without(d definition.Definition) definition.Definition {
	d.Parts = slices.DeleteFunc(slices.Clone(d.Parts), func(p definition.Part) bool { return strings.HasPrefix(p.Path, "Copilot/") })
	return d
}

// relaid counts the outcomes of writes on platforms that lay definitions out their own way.
type relaid struct{ written, lost, refused, leftOver, differs, versions atomic.Int64 }

// place is where a model is: what is there, what the platform gives, and how it is written.
type place struct {
	state, read func() definition.Definition
	write       func(definition.Definition)
}

// inMemory is a place without a platform.
func inMemory(layout emulator.Layout, d definition.Definition) place {
	return place{state: func() definition.Definition { return d },
		read:  func() definition.Definition { return layout.Apply(item.SemanticModel, d) },
		write: func(sent definition.Definition) { d = layout.Kept(d, sent) }}
}

// writeAndRevert changes every property of a model at a place with the layout, and reverts what landed.
func (n *relaid) writeAndRevert(t *testing.T, layout emulator.Layout, at place) {
	t.Helper()
	before, read := at.state(), at.read()
	m, err := semanticmodel.Read(read)
	if err != nil {
		t.Fatal(err)
	}
	changes := everyChange(read, m)
	copilot := map[rewrite.Property]bool{} // properties that stand below Copilot/
	for i, c := range changes {
		p := c.Target.Property
		if _, known := copilot[p]; known {
			continue
		}
		one, _, err := rewrite.Write(read, changes[i:i+1])
		if err != nil {
			t.Fatal(err)
		}
		copilot[p] = below(one).Hash() != below(read).Hash()
	}
	seen := map[rewrite.Property]int{}
	changes = slices.DeleteFunc(changes, func(c rewrite.Change) bool {
		p := c.Target.Property
		seen[p]++
		return layout.DropCopilot && copilot[p] || // the service refuses these
			special(layout) && seen[p]%10 != 1
	})
	sent, undos, err := rewrite.Write(read, changes)
	if err != nil {
		t.Fatalf("%+v: %v", layout, err)
	}
	at.write(sent)
	there := at.read()
	var landed []rewrite.Undo
	differed := missing(t, read, undos)
	for i, lost := range missing(t, there, undos) {
		u := undos[i]
		if lost != (layout.Forgetful && differed[i] || layout.LosesCopilot && copilot[u.Property]) {
			n.lost.Add(1)
			t.Errorf("%+v: %+v is read back otherwise: %t", layout, u.Target, lost)
		}
		if !lost {
			landed = append(landed, u)
		}
	}
	n.written.Add(int64(len(landed)))
	for _, p := range there.Parts {
		if _, before := read.Part(p.Path); !before && strings.HasSuffix(p.Path, "/version.json") {
			n.versions.Add(1)
		}
	}
	back, err := rewrite.Restore(there, landed)
	if err != nil {
		n.refused.Add(1)
		t.Errorf("%+v: %v", layout, err)
		return
	}
	at.write(back)
	after := at.read()
	if layout.LosesCopilot {
		read, after = without(read), without(after)
	}
	n.leftOver.Add(int64(max(0, len(after.Parts)-len(read.Parts))))
	if after.Hash() != read.Hash() {
		n.differs.Add(1)
		t.Errorf("%+v: another definition is read after the revert", layout)
	}
	if layout.KeepsHidden && below(at.state()).Hash() != below(before).Hash() {
		t.Errorf("%+v: the parts that are not shown are others after the revert", layout)
	}
}

// A write on a platform that lays definitions out its own way, and keeps parts back or loses them, is reverted: nothing is refused, no
// part is left over, and the definition that is read is the one from before, byte for byte. Only values that the platform loses are
// read back differently from how they were written.
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
	var n relaid
	t.Run("models", func(t *testing.T) {
		for name, d := range models {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for i, layout := range layouts() {
					t.Run(strconv.Itoa(i), func(t *testing.T) {
						t.Parallel()
						n.writeAndRevert(t, layout, inMemory(layout, d))
					})
				}
			})
		}
	})
	t.Logf("%d models, %d layouts: %d values written, %d read back otherwise, %d reverts refused, %d parts left over, %d definitions differ; "+
		"%d version.json were created", len(models), len(layouts()), n.written.Load(), n.lost.Load(), n.refused.Load(), n.leftOver.Load(),
		n.differs.Load(), n.versions.Load())
	if n.written.Load() == 0 || n.versions.Load() < int64(len(layouts())) ||
		n.lost.Load()+n.refused.Load()+n.leftOver.Load()+n.differs.Load() > 0 {
		t.Fail()
	}
}

// The same over REST, for models that are prepared for AI in different ways. A platform that deletes what it does not show is not
// written to (TestWritesWithHiddenParts).
func TestRevertsOverREST(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Retail Sales", "Inventory", "Store Operations"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n relaid
			w, as := newWritable(t, nil), person("ada")
			w.probed = fabric.Answers{Passed: true, HiddenKept: true}
			all, err := w.folder.Items(t.Context(), as, retail, item.SemanticModel)
			check(t, err)
			it := all[slices.IndexFunc(all, func(it item.Item) bool { return it.DisplayName == name })]
			for _, layout := range layouts() {
				if layout.DropCopilot && !layout.KeepsHidden {
					continue
				}
				w.service.Set(func(o *emulator.Options) { o.Layout = layout })
				inFolder := func() definition.Definition {
					d, err := w.folder.Definition(t.Context(), as, it)
					check(t, err)
					return d
				}
				before := inFolder()
				n.writeAndRevert(t, layout, place{state: inFolder, read: func() definition.Definition { return w.read(t, as, it) },
					write: func(d definition.Definition) {
						operation := sent(t, w.WriteDefinition(t.Context(), as, it, d, w.read(t, as, it).Hash()))
						ended, err := w.FinishWrite(t.Context(), as, it, operation)
						if err != nil || !ended.Made {
							t.Fatalf("%+v: got %+v, %v", layout, ended, err)
						}
					}})
				check(t, w.folder.WriteDefinition(t.Context(), as, it, before, inFolder().Hash())) // as it was for the next layout
			}
			if n.written.Load() == 0 || n.refused.Load()+n.leftOver.Load() > 0 {
				t.Errorf("%d values written, %d reverts refused, %d parts left over", n.written.Load(), n.refused.Load(), n.leftOver.Load())
			}
		})
	}
}

// missing reports for each value whether it is read back differently from how it was written.
func missing(t *testing.T, d definition.Definition, undos []rewrite.Undo) []bool {
	t.Helper()
	targets := make([]rewrite.Target, len(undos))
	for i, u := range undos {
		targets[i] = u.Target
	}
	values, err := rewrite.Values(d, targets)
	if err != nil {
		t.Fatal(err)
	}
	lost := make([]bool, len(undos))
	for i, v := range values {
		lost[i] = !rewrite.Same(undos[i].Property, v.Text, &undos[i].Written)
	}
	return lost
}
