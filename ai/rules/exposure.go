package rules

import (
	"readiness/ai/rules/prose"
	"readiness/definition/semanticmodel"
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
				views[ref{prose.Norm(t), prose.Norm(name)}] += n
			}
		}
	}
	if f.usage {
		f.views = usage
	}
	for _, x := range f.allFields() {
		x.views = views[ref{prose.Norm(x.table.src.Name), prose.Norm(x.name)}]
	}
}

// expose reads the AI data schema and determines what an AI sees now.
func (f *facts) expose() {
	entries := map[string]*semanticmodel.AITable{}
	if s := f.src.Copilot.Schema; s != nil {
		for i := range s.Tables {
			if name := prose.Norm(s.Tables[i].Name); entries[name] == nil {
				entries[name] = &s.Tables[i]
			}
		}
	}
	for _, t := range f.tables {
		entry := entries[prose.Norm(t.src.Name)]
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
			x.visibility = of[prose.Norm(x.name)]
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
		name := prose.Norm(e.Name)
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
