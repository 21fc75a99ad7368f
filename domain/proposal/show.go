package proposal

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"readiness/definition/semanticmodel"
)

// Fold returns the form in which the AI data schema compares names: it ignores letter case,
// white space and Unicode normal form.
func Fold(name string) string {
	return strings.Join(strings.Fields(strings.ToLower(norm.NFC.String(name))), " ")
}

// Show returns a model with proposals for the AI data schema applied. It shares with m what they
// do not change.
func Show(m *semanticmodel.Model, proposals []Proposal) *semanticmodel.Model {
	out := *m
	schema := &semanticmodel.AISchema{}
	if m.Copilot.Schema != nil {
		schema.Tables = slices.Clone(m.Copilot.Schema.Tables)
	}
	out.Copilot.Schema = schema
	tables := map[string]int{}
	for i := range schema.Tables {
		t := &schema.Tables[i]
		t.Columns, t.Measures = slices.Clone(t.Columns), slices.Clone(t.Measures)
		if _, known := tables[Fold(t.Name)]; !known {
			tables[Fold(t.Name)] = i
		}
	}
	fields := map[fieldEntry]int{}
	for at := range schema.Tables {
		index(fields, at, Column, schema.Tables[at].Columns)
		index(fields, at, Measure, schema.Tables[at].Measures)
	}
	for _, p := range proposals {
		at, known := tables[Fold(p.Table)]
		if !known {
			at = len(schema.Tables)
			schema.Tables = append(schema.Tables, semanticmodel.AITable{Name: p.Table})
			tables[Fold(p.Table)] = at
		}
		t := &schema.Tables[at]
		entries := &t.Columns
		switch p.Type {
		case Table, Model:
			t.Visibility = p.Value
			continue
		case Measure:
			entries = &t.Measures
		case Column:
		}
		k := fieldEntry{at, p.Type, Fold(p.Name)}
		i, known := fields[k]
		if !known {
			i = len(*entries)
			*entries = append(*entries, semanticmodel.AIField{Name: p.Name})
			fields[k] = i
		}
		(*entries)[i].Visibility = p.Value
	}
	return &out
}

// fieldEntry identifies an entry of a field in an AI data schema. Of two entries with one name the first counts.
type fieldEntry struct {
	table int
	kind  ObjectType
	name  string
}

// index notes where the entries of a table are.
func index(all map[fieldEntry]int, table int, kind ObjectType, entries []semanticmodel.AIField) {
	for i, e := range entries {
		k := fieldEntry{table, kind, Fold(e.Name)}
		if _, known := all[k]; !known {
			all[k] = i
		}
	}
}
