package rulesengine_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"readiness/ai/rulesengine"
	"readiness/definition"
	"readiness/definition/semanticmodel"
	"readiness/domain/readiness"
	"readiness/domain/verdict"
	"readiness/test/samples"
)

func TestSamples(t *testing.T) {
	t.Parallel()
	answersByName(t, samples.Workspaces(t), 9)
	if corpus, public := samples.Corpus(t); public {
		answersByName(t, corpus, 11)
	}
}

// answersByName asks every model below a folder for measures by columns under their own names. Nearly
// all questions must be answered with exactly these fields. Names that two fields have are left out,
// because they are ambiguous.
func answersByName(t *testing.T, root string, least int) {
	t.Helper()
	models, asked, right := 0, 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		m := modelIn(t, path)
		if m == nil {
			return nil
		}
		models++
		n, k := askByName(t, catalogOf(m))
		asked, right = asked+n, right+k
		t.Logf("%s: %d of %d", strings.TrimPrefix(path, root), k, n)
		return fs.SkipDir
	})
	if err != nil || models < least || asked == 0 || float64(right) < 0.95*float64(asked) {
		t.Errorf("%d models, %d of %d questions answered: %v", models, right, asked, err)
	}
}

// modelIn returns the model in a folder, nil if there is none or it cannot be read.
func modelIn(t *testing.T, folder string) *semanticmodel.Model {
	t.Helper()
	m, err := semanticmodel.Read(definition.New(parts(t, folder)...))
	if err != nil || len(m.Tables) == 0 {
		return nil
	}
	return m
}

func parts(t *testing.T, folder string) []definition.Part {
	t.Helper()
	var all []definition.Part
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && path != folder && strings.Contains(d.Name(), ".") {
				return fs.SkipDir // another item
			}
			return err
		}
		data, err := os.ReadFile(path)
		relative, _ := filepath.Rel(folder, path)
		all = append(all, definition.Part{Path: filepath.ToSlash(relative), Data: data})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// catalogOf returns the part of a model that an AI sees.
func catalogOf(m *semanticmodel.Model) rulesengine.Catalog {
	seen := readiness.Expose(m)
	c := rulesengine.Catalog{Instructions: seen.Instructions}
	for _, t := range seen.Tables {
		out := rulesengine.Table{Name: t.Name, Description: t.Description, Synonyms: t.Terms, Dates: t.IsDate}
		for _, x := range t.Columns {
			out.Columns = append(out.Columns, rulesengine.Column{Name: x.Name, Description: x.Description, Synonyms: x.Terms, DataType: string(x.DataType), Key: x.IsEnd})
		}
		for _, x := range t.Measures {
			out.Measures = append(out.Measures, rulesengine.Measure{Name: x.Name, Description: x.Description, Synonyms: x.Terms, DisplayFolder: x.DisplayFolder})
		}
		c.Tables = append(c.Tables, out)
	}
	for _, a := range seen.Answers {
		v := rulesengine.VerifiedAnswer{Phrases: a.Phrases}
		for _, f := range a.Fields {
			v.Fields = append(v.Fields, rulesengine.FieldRef{Table: f.Table, Name: f.Name})
		}
		c.Answers = append(c.Answers, v)
	}
	return c
}

func askByName(t *testing.T, c rulesengine.Catalog) (asked, right int) {
	t.Helper()
	engine := rulesengine.New(c)
	count := map[string]int{}
	// Two names that differ only in signs are read alike.
	same := func(name string) string {
		return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" _-./()'+*:!?,", r) }), "")
	}
	type pair struct{ table, name string }
	var measures, columns []pair
	for _, table := range c.Tables {
		for _, m := range table.Measures {
			measures = append(measures, pair{table.Name, m.Name})
			count[same(m.Name)]++
		}
		for _, x := range table.Columns {
			columns = append(columns, pair{table.Name, x.Name})
			count[same(x.Name)]++
		}
	}
	for i, m := range measures {
		if count[same(m.name)] > 1 {
			continue
		}
		for k := range min(5, len(columns)) {
			x := columns[(i*7+k*13)%len(columns)]
			if count[same(x.name)] > 1 {
				continue
			}
			question := fmt.Sprintf("What is %s by %s?", m.name, x.name)
			want := "[" + m.name + "]; by " + x.table + "." + x.name
			asked++
			got := engine.Answer(question)
			if fieldsOf(got) == want {
				right++
			} else {
				t.Logf("%q: %s (%s)", question, fieldsOf(got), got.Text)
			}
			for _, f := range got.Fields {
				if f.Role == verdict.FilterField && f.Operator == "" {
					t.Errorf("%q has a filter without an operator", question)
				}
			}
		}
	}
	return asked, right
}
