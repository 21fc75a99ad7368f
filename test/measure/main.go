// Command measure says what noise earns in the score, compared with honest texts of the same kind: it strips models of
// their texts, writes texts drawn by a seed, and compares the gains.
//
//	go run ./test/measure -seed 7 FOLDER
//	go run ./test/measure -honest -seed 7 FOLDER
//	go run ./test/measure -first FOLDER
//
// The second form says which honest edits lower a score, the third how often each rule is among the first ones that a model's owner reads.
//
// FOLDER holds models as folders NAME.SemanticModel. Honest descriptions are those that the models came with, and those of
// its own in three languages; noise is drawn from lists of its own, which no rule has.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
)

func main() {
	seed := flag.Uint64("seed", uint64(time.Now().UnixNano()), "what the texts are drawn by")
	firstOnly := flag.Bool("first", false, "say instead how often each rule is among the first ones")
	honestOnly := flag.Bool("honest", false, "say instead which honest edits lower a score")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "measure needs a folder of models")
		os.Exit(2)
	}
	if *firstOnly {
		if err := first(flag.Arg(0)); err != nil {
			fmt.Fprintln(os.Stderr, "measure:", err)
			os.Exit(1)
		}
		return
	}
	models, err := read(flag.Arg(0))
	if err != nil || len(models) == 0 {
		fmt.Fprintf(os.Stderr, "measure: %d models: %v\n", len(models), err)
		os.Exit(1)
	}
	if *honestOnly {
		honestEdits(models, *seed)
		return
	}
	fmt.Printf("%d models, seed %d\n\n", len(models), *seed)
	for _, k := range kinds {
		fmt.Printf("%s\n", k.name)
		honest := 0.0
		for _, m := range k.ways {
			gain, n := 0.0, 0
			for i, model := range models {
				before := score(stripped(model, k.strips))
				changed := stripped(model, k.strips)
				if !m.apply(changed, model, rand.New(rand.NewPCG(*seed, uint64(i)))) {
					continue
				}
				gain += score(changed) - before
				n++
			}
			if n == 0 {
				continue
			}
			gain /= float64(n)
			if m.honest {
				honest = max(honest, gain)
				fmt.Printf("  %-34s %+6.2f on average of %d models\n", m.name, gain, n)
			} else {
				fmt.Printf("  %-34s %+6.2f on average of %d models, %5.2f of honest\n", m.name, gain, n, gain/honest)
			}
		}
	}
}

// kind is a kind of text. strips removes it from a model.
type kind struct {
	name   string
	strips func(*semanticmodel.Model)
	ways   []way
}

// way is how a model gets texts; it is false if it does not apply to the model, as it came.
type way struct {
	name   string
	honest bool
	apply  func(m, came *semanticmodel.Model, r *rand.Rand) bool
}

func score(m *semanticmodel.Model) float64 {
	s := readiness.Assess(m, readiness.Options{WithoutFindings: true}).RawUncapped
	if s == nil {
		return 0
	}
	return *s
}

// texts calls set for each description of a model.
func texts(m *semanticmodel.Model, set func(of, name string, text *string)) {
	for i := range m.Tables {
		t := &m.Tables[i]
		set("table", t.Name, &t.Description)
		for j := range t.Columns {
			set("column", t.Columns[j].Name, &t.Columns[j].Description)
		}
		for j := range t.Measures {
			set("measure", t.Measures[j].Name, &t.Measures[j].Description)
		}
	}
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// senseless returns a sentence without sense.
func senseless(r *rand.Rand) string {
	return "The " + pick(r, adjectives) + " " + pick(r, nouns) + " " + pick(r, verbs) + " " + pick(r, places) + " the " +
		pick(r, adjectives) + " " + pick(r, nouns) + "."
}

var kinds = []kind{
	{"descriptions", func(m *semanticmodel.Model) { texts(m, func(_, _ string, text *string) { *text = "" }) }, []way{
		{"those it came with", true, func(m, came *semanticmodel.Model, _ *rand.Rand) bool {
			var all []string
			texts(came, func(_, _ string, text *string) { all = append(all, *text) })
			n := len(all)
			blank := len(slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s != "" }))
			texts(m, func(_, _ string, text *string) { *text, all = all[0], all[1:] })
			return n > blank && 2*(n-blank) >= n
		}},
		{"honest, drawn", true, describe(func(r *rand.Rand, of, name string) string { return honest(r, of, name, english) })},
		{"honest, drawn, German", true, describe(func(r *rand.Rand, of, name string) string { return honest(r, of, name, german) })},
		{"honest, drawn, Portuguese", true, describe(func(r *rand.Rand, of, name string) string { return honest(r, of, name, portuguese) })},
		{"sentences without sense", false, describe(func(r *rand.Rand, _, _ string) string { return senseless(r) })},
		{"the same with the name in it", false, describe(func(r *rand.Rand, _, name string) string {
			return name + " " + pick(r, verbs) + " " + pick(r, places) + " the " + pick(r, adjectives) + " " + pick(r, nouns) + "."
		})},
		{"one paragraph on all", false, func(m, _ *semanticmodel.Model, r *rand.Rand) bool {
			text := senseless(r) + " Validated by the team and refreshed daily."
			texts(m, func(_, _ string, to *string) { *to = text })
			return true
		}},
		{"one honest text on all", false, func(m, _ *semanticmodel.Model, _ *rand.Rand) bool {
			texts(m, func(_, _ string, to *string) { *to = "Net amount of the order in euro, without tax." })
			return true
		}},
		{"the name in a frame", false, describe(func(_ *rand.Rand, of, name string) string { return "The " + name + " " + of + "." })},
		{"praise and process", false, describe(func(r *rand.Rand, _, name string) string {
			return name + ": a " + pick(r, praise) + " and " + pick(r, praise) + " field that is " + pick(r, process) + "."
		})},
	}},
	{"AI instructions", func(m *semanticmodel.Model) { m.Copilot.Instructions = nil }, []way{
		{"honest, drawn", true, instruct(func(_ *rand.Rand, name string, i int) string { return fmt.Sprintf(told[i%len(told)], "["+name+"]") })},
		{"a list of all names", false, instruct(func(_ *rand.Rand, name string, _ int) string { return "- [" + name + "]" })},
		{"names restated", false, instruct(func(_ *rand.Rand, name string, _ int) string {
			return name + " means [" + name + "]. Use [" + name + "] for " + name + "."
		})},
		{"praise of each", false, instruct(func(r *rand.Rand, name string, _ int) string {
			return "[" + name + "] is " + pick(r, praise) + " and " + pick(r, process) + "."
		})},
		{"sentences without sense", false, instruct(func(r *rand.Rand, name string, _ int) string { return senseless(r) + " [" + name + "]" })},
	}},
	{"hiding", func(*semanticmodel.Model) {}, []way{
		{"all but one field", false, func(m, _ *semanticmodel.Model, _ *rand.Rand) bool {
			shown := false
			for i := range m.Tables {
				for j := range m.Tables[i].Measures {
					m.Tables[i].Measures[j].IsHidden, shown = shown, true
				}
			}
			for i := range m.Tables {
				for j := range m.Tables[i].Columns {
					m.Tables[i].Columns[j].IsHidden, shown = shown, true
				}
			}
			return true
		}},
	}},
	{"synonyms", func(m *semanticmodel.Model) { m.Cultures = nil }, []way{
		{"honest, drawn", true, synonyms(func(_ string, i int) string { return spoken[i%len(spoken)] + strings.Repeat("a", i/len(spoken)) })},
		{"one word on all", false, synonyms(func(string, int) string { return "data" })},
		{"the plural of the name", false, synonyms(func(name string, _ int) string { return name + "s" })},
	}},
}

func describe(text func(r *rand.Rand, of, name string) string) func(m, _ *semanticmodel.Model, r *rand.Rand) bool {
	return func(m, _ *semanticmodel.Model, r *rand.Rand) bool {
		texts(m, func(of, name string, to *string) { *to = text(r, of, name) })
		return true
	}
}

func instruct(line func(r *rand.Rand, name string, i int) string) func(m, _ *semanticmodel.Model, r *rand.Rand) bool {
	return func(m, _ *semanticmodel.Model, r *rand.Rand) bool {
		var b strings.Builder
		i := 0
		for _, t := range m.Tables {
			for _, x := range t.Measures {
				if i < 12 && !x.IsHidden && !t.IsHidden {
					b.WriteString(line(r, x.Name, i) + "\n")
					i++
				}
			}
		}
		m.Copilot.Instructions = new(b.String())
		return i >= 4
	}
}

func synonyms(term func(name string, i int) string) func(m, _ *semanticmodel.Model, r *rand.Rand) bool {
	return func(m, _ *semanticmodel.Model, _ *rand.Rand) bool {
		c := semanticmodel.Culture{Name: "en-US"}
		for _, t := range m.Tables {
			for _, x := range t.Measures {
				c.Entities = append(c.Entities, semanticmodel.LinguisticEntity{Table: t.Name, Property: x.Name,
					Terms: []semanticmodel.Term{{Text: term(x.Name, len(c.Entities)), State: "Authored"}}})
			}
		}
		m.Cultures = []semanticmodel.Culture{c}
		return len(c.Entities) >= 4
	}
}

// honest returns a description as a person may write it: its forms are filled with things that differ from object to object.
func honest(r *rand.Rand, of, _ string, in language) string {
	forms := in.columns
	switch of {
	case "table":
		forms = in.tables
	case "measure":
		forms = in.measures
	}
	text := pick(r, forms)
	for strings.Contains(text, "%s") {
		text = strings.Replace(text, "%s", pick(r, in.things), 1)
	}
	return text
}

// stripped returns a copy of a model, without what strips removes.
func stripped(m *semanticmodel.Model, strips func(*semanticmodel.Model)) *semanticmodel.Model {
	c := *m
	c.Tables = slices.Clone(m.Tables)
	for i := range c.Tables {
		c.Tables[i].Columns = slices.Clone(c.Tables[i].Columns)
		c.Tables[i].Measures = slices.Clone(c.Tables[i].Measures)
	}
	strips(&c)
	return &c
}

// read reads the models in a folder.
func read(root string) (models []*semanticmodel.Model, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || !strings.HasSuffix(path, ".SemanticModel") {
			return err
		}
		var parts []definition.Part
		if err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(file)
			name, _ := filepath.Rel(path, file)
			parts = append(parts, definition.Part{Path: filepath.ToSlash(name), Data: data})
			return err
		}); err != nil {
			return err
		}
		if m, err := semanticmodel.Read(definition.New(parts...)); err == nil {
			models = append(models, m)
		} else {
			fmt.Fprintf(os.Stderr, "%s is not read: %v\n", path, err)
		}
		return fs.SkipDir
	})
	return models, err
}
