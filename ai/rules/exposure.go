package rules

import (
	"readiness/definition/semanticmodel"
	"readiness/definition/spelling"
	"readiness/domain/proposal"
)

// view reads the usage map; names are compared after norm.
func (f *facts) view(usage map[string]map[string]int64) {
	type ref struct{ table, field string }
	views := map[ref]int64{}
	for t, fields := range usage {
		for name, n := range fields {
			if n > 0 {
				f.usage = true
				views[ref{spelling.FoldSpace(t), spelling.FoldSpace(name)}] += n
			}
		}
	}
	if f.usage {
		f.views = usage
	}
	for _, x := range f.allFields() {
		x.views = views[ref{spelling.FoldSpace(x.table.src.Name), spelling.FoldSpace(x.name)}]
	}
}

// expose reads the AI data schema and determines what an AI sees now.
func (f *facts) expose() {
	entries := map[string]*semanticmodel.AITable{}
	if s := f.src.Copilot.Schema; s != nil {
		for i := range s.Tables {
			if name := spelling.FoldSpace(s.Tables[i].Name); entries[name] == nil {
				entries[name] = &s.Tables[i]
			}
		}
	}
	for _, t := range f.tables {
		entry := entries[spelling.FoldSpace(t.src.Name)]
		if entry == nil {
			continue
		}
		t.visibility = entry.Visibility
		f.note(t.visibility)
		columns, measures := visibilities(entry.Columns), visibilities(entry.Measures)
		for _, x := range t.fields() {
			of := columns
			if x.measure != nil {
				of = measures
			}
			x.visibility = of[spelling.FoldSpace(x.name)]
			f.note(x.visibility)
		}
	}
	for _, t := range f.tables {
		if !f.configured {
			t.exposed = !t.src.IsHidden
		}
		for _, x := range t.fields() {
			x.exposed = f.seen(t.visibility, x.visibility, x.hidden)
			t.exposed = t.exposed || f.configured && x.exposed
		}
	}
}

// visibilities returns those of a table's entries by normalized name; of two entries with one name the
// first counts.
func visibilities(entries []semanticmodel.AIField) map[string]string {
	all := make(map[string]string, len(entries))
	for _, e := range entries {
		name := spelling.FoldSpace(e.Name)
		if _, known := all[name]; !known {
			all[name] = e.Visibility
		}
	}
	return all
}

func (f *facts) note(visibility string) {
	f.configured = f.configured || visibility == proposal.Visible || visibility == proposal.Hidden
}

// seen reports whether an AI sees a field, given the entries of its table and of the field itself in
// the AI data schema.
func (f *facts) seen(table, field string, hidden bool) bool {
	return !f.configured && !hidden || f.configured && schemaShows(table, field, hidden)
}

// schemaShows returns what a configured schema shows.
func schemaShows(table, field string, hidden bool) bool {
	return table != proposal.Hidden && (field == proposal.Visible || (field == "" || field == "Auto") && !hidden)
}
